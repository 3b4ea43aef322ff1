import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { responsesLimits } from '@drawbridge/contracts/daemon-surface';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connectDaemon, requestOf, type TestDaemon } from '../../../test/daemon.ts';
import { forbidden, paired, seen } from '../../../test/paired.ts';
import type { TestServer } from '../../../test/server.ts';

const { bare, wrapped } = daemonMounts;

const text = (value: string, more: object = {}) => ({
  result: { content: [{ type: 'text', text: value }], ...more },
});
const question = text(
  `GATEWAY_CONFIRMATION_REQUIRED::${JSON.stringify({
    toolGroup: 'filesystemWrite',
    resource: '/a',
    description: 'Write a',
    options: ['allowOnce', 'denyOnce'],
  })}`,
  { isError: true },
);
const notFound = { status: 404, code: 'NOT_FOUND', message: 'Not found' };

const postTo =
  (server: TestServer, key: string) =>
  (responses: unknown, mount: string = bare) =>
    server.send(`${mount}/responses`, {
      method: 'POST',
      headers: { [gatewayKeyHeader]: key },
      body: { responses },
    });

const setUp = async (environment: Record<string, string> = {}) => {
  const { server, token, panel } = await paired(environment);
  const daemon = await connectDaemon(server, token);
  /** A call that the machine has, by its id. */
  const callOf = async (name: string) => {
    const ended = panel.calls.run.mutate({ name, arguments: {} });
    const { requestId } = requestOf(await daemon.stream.next());
    return { requestId, ended };
  };
  return { server, panel, daemon, callOf, post: postTo(server, daemon.sessionKey) };
};

it.each([
  ['bare', bare, (reply: unknown) => reply],
  ['wrapped', wrapped, (data: unknown) => ({ data })],
])(
  'several results come in one request at the %s mount, each with its own answer',
  async (_, mount, envelope) => {
    const { callOf, post, panel } = await setUp({ RESULT_MAX_BYTES: '1024' });
    const [read, write, differs, asked, large] = [
      await callOf('read_file'),
      await callOf('write_file'),
      await callOf('read_file'),
      await callOf('write_file'),
      await callOf('read_file'),
    ];
    const got = await post(
      [
        { requestId: read.requestId, ...text('a') },
        { requestId: write.requestId, error: 'it broke' },
        { requestId: differs.requestId, ...text('a') },
        { requestId: differs.requestId, ...text('a') },
        { requestId: differs.requestId, ...text('b') },
        { requestId: asked.requestId, ...question },
        { requestId: large.requestId, error: 'x'.repeat(1_024) },
        { requestId: large.requestId },
        { requestId: 'nobodys', error: 'x' },
        { requestId: '../../x', error: 'x' },
        { error: 'x' },
        { requestId: { a: 1 } },
        'x',
        null,
      ],
      mount,
    );
    const bad = (requestId: string | null) => ({
      requestId,
      status: 400,
      code: 'BAD_REQUEST',
      message: expect.stringMatching(/^The request is not valid: /),
    });
    expect(seen(got)).toEqual([
      200,
      envelope({
        responses: [
          { requestId: read.requestId, ok: true },
          { requestId: write.requestId, ok: true },
          { requestId: differs.requestId, ok: true },
          { requestId: differs.requestId, ok: true, duplicate: true },
          {
            requestId: differs.requestId,
            status: 409,
            code: 'CONFLICTING_RESULT',
            message: 'This call has another answer already',
          },
          { requestId: asked.requestId, ok: true },
          { requestId: large.requestId, status: 413, code: 'TOO_LARGE', message: 'Too large' },
          bad(large.requestId),
          { requestId: 'nobodys', ...notFound },
          { requestId: null, ...notFound },
          { requestId: null, ...notFound },
          bad(null),
          bad(null),
          bad(null),
        ],
      }),
    ]);
    const states = await Promise.all(
      [read, write, differs, asked, large].map(
        async ({ requestId }) => (await panel.calls.get.query({ requestId })).state,
      ),
    );
    expect(states).toEqual(['succeeded', 'failed', 'succeeded', 'awaiting-confirmation', 'delivered']);
    expect((await post([{ requestId: large.requestId, ...text('small') }], mount)).status).toBe(200);
    expect(await large.ended).toMatchObject({ state: 'succeeded' });
  },
);

const tools = ['read_file', 'write_file', 'read_file'];
const entry = fc.record({
  call: fc.constantFrom('0', '1', '2', 'nobodys', 'no id', undefined),
  body: fc.constantFrom<object>(
    text('a'),
    text('a'),
    text('b'),
    text('c', { isError: true }),
    text('stopped', {
      isError: true,
      _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': true },
    }),
    question,
    { error: 'it broke' },
    {},
    { result: { content: 'text' } },
  ),
});

it('is the same as one after the other', async () => {
  const { daemon, panel, callOf, post } = await setUp();
  const calls = async () => {
    const open = [];
    for (const tool of tools) open.push((await callOf(tool)).requestId);
    return open;
  };
  const states = (ids: string[]) =>
    Promise.all(
      ids.map(async (requestId) => {
        const { state, result, error, started } = await panel.calls.get.query({ requestId });
        return { state, result, error, started };
      }),
    );
  const alone = async (daemonOf: TestDaemon, requestId: string | undefined, body: object) => {
    const { status, json } = await daemonOf.respond(encodeURIComponent(requestId ?? ''), body);
    return { status, ...(json as object) };
  };
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 10 }), async (script) => {
      const [first, second] = [await calls(), await calls()];
      const one = [];
      for (const { call, body } of script) one.push(await alone(daemon, first[Number(call)] ?? call, body));
      const got = await post(
        script.map(({ call, body }) => ({ requestId: second[Number(call)] ?? call, ...body })),
      );
      // What the contract gives, compared here with what each was answered with alone.
      const { responses } = got.json as { responses: object[] };
      const named = script.map(({ call }) => second[Number(call)] ?? (call === 'nobodys' ? call : null));
      expect(responses.map((verdict) => ({ status: 200, ...verdict }))).toEqual(
        one.map((verdict, at) => ({ ...verdict, requestId: named[at] })),
      );
      expect(await states(second)).toEqual(await states(first));
      for (const requestId of [...first, ...second]) await panel.calls.cancel.mutate({ requestId });
    }),
    { numRuns: 15 },
  );
}, 60_000);

describe('batches that are refused as a whole', () => {
  const one = { requestId: 'r', error: 'x' };

  it.each([
    ['none', [], 400],
    ['as many as may be', Array(responsesLimits.maxResponses).fill(one), 200],
    ['one more', Array(responsesLimits.maxResponses + 1).fill(one), 400],
    ['no list', one, 400],
    ['more than 64 KiB', [{ requestId: 'r', error: 'x'.repeat(responsesLimits.maxBytes) }], 413],
  ])('%s', async (_, responses, status) => {
    const { post } = await setUp();
    expect((await post(responses)).status).toBe(status);
  });

  it('with an invalid key, for any content', async () => {
    const { server, daemon, callOf, post, panel } = await setUp();
    const { requestId, ended } = await callOf('read_file');
    for (const key of ['', `sess_${'a'.repeat(32)}`]) {
      for (const responses of [[{ requestId, error: 'forged' }], [null]])
        expect(seen(await postTo(server, key)(responses))).toEqual([403, forbidden]);
    }
    expect((await post([{ requestId, ...text('a') }])).status).toBe(200);
    expect(await ended).toMatchObject({ state: 'succeeded' });
    await panel.gateway.disconnect.mutate();
    await daemon.stream.ended;
    expect(seen(await post([{ requestId, ...text('a') }]))).toEqual([403, forbidden]);
  });
});
