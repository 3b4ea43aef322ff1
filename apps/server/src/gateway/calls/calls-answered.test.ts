import { disconnectMachine } from '../../callers/index.ts';
import { describe, expect, it } from 'vitest';
import { connect, ended, idOf, question, text, useGateway, callerOf } from '../../../test/gateway-fixture.ts';

const fixture = useGateway();
const { connected } = fixture;

const read = { name: 'read_file', arguments: { path: 'a.txt' } };

describe('answers', () => {
  it.each([
    [
      'an error result',
      text('no', { isError: true }),
      { state: 'failed', result: { content: [{ type: 'text', text: 'no' }], isError: true }, error: null },
    ],
    [
      'an error',
      { error: 'broken' },
      { state: 'failed', result: null, error: { code: 'TOOL_FAILED', message: 'broken' } },
    ],
    [
      'denied',
      text('no', { isError: true, _meta: { 'drawbridge/outcome': 'denied', 'drawbridge/started': false } }),
      { state: 'denied', started: false },
    ],
    [
      'lost',
      text('?', { isError: true, _meta: { 'drawbridge/outcome': 'lost' } }),
      { state: 'lost', started: null },
    ],
    [
      'a file that holds a question',
      { result: { content: question().result?.content ?? [] } },
      { state: 'succeeded' },
    ],
  ])('%s', async (_name, body, expected) => {
    const { gateway, clock, stream, key } = await connected();
    const running = callerOf(gateway, 'ada').run(read, ended);
    await clock.settle();
    await gateway.daemon.respond(key, idOf(stream), body);
    expect(await running).toMatchObject(expected);
    expect(await gateway.confirmations.list('ada')).toEqual([]);
  });

  it('the first counts: a repeat is accepted as a duplicate, another answer is refused', async () => {
    const { gateway, clock, stream, key } = await connected();
    const running = callerOf(gateway, 'ada').run(read, ended);
    await clock.settle();
    const all = await Promise.allSettled([
      gateway.daemon.respond(key, idOf(stream), text('one')),
      gateway.daemon.respond(key, idOf(stream), text('one')),
      gateway.daemon.respond(key, idOf(stream), text('two')),
    ]);
    expect(all).toEqual([
      { status: 'fulfilled', value: { ok: true } },
      { status: 'fulfilled', value: { ok: true, duplicate: true } },
      { status: 'rejected', reason: expect.objectContaining({ code: 'CONFLICTING_RESULT' }) },
    ]);
    expect((await running).result).toEqual({ content: [{ type: 'text', text: 'one' }] });
    expect(await gateway.calls.get('ada', idOf(stream))).toEqual(await running);
  });

  it('that are too large are refused and leave the call open', async () => {
    const { gateway, clock, stream, key } = await connected({ limits: { resultMaxBytes: 100 } });
    const running = callerOf(gateway, 'ada').run(read, ended);
    await clock.settle();
    await expect(gateway.daemon.respond(key, idOf(stream), text('é'.repeat(40)))).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
    await gateway.daemon.respond(key, idOf(stream), text('short'));
    expect(await running).toMatchObject({ state: 'succeeded' });
  });

  it('for calls that are unknown, of another user, undelivered, or ended without one', async () => {
    const { gateway, clock, stream, key } = await connected();
    const ben = await connect(gateway, 'ben');
    const running = callerOf(gateway, 'ada').run(read, ended);
    await clock.settle();
    const delivered = idOf(stream);
    stream.drop();
    void callerOf(gateway, 'ada').run(read, ended);
    await clock.settle();
    const waiting =
      (await gateway.calls.list('ada', { limit: 50 })).calls.find((call) => call.state === 'pending')
        ?.requestId ?? '';
    const notFound = { code: 'NOT_FOUND', message: 'Not found' };
    for (const [by, requestId] of [
      [key, 'unknown'],
      [ben.key, delivered],
      [ben.key, waiting],
      [key, waiting],
    ] as const) {
      await expect(gateway.daemon.respond(by, requestId, text('mine'))).rejects.toMatchObject(notFound);
    }
    for (const requestId of ['unknown', delivered]) {
      await expect(gateway.daemon.progress(ben.key, requestId, {})).rejects.toMatchObject(notFound);
      await expect(gateway.calls.get('ben', requestId)).rejects.toMatchObject(notFound);
      await expect(gateway.calls.cancel('ben', requestId)).rejects.toMatchObject(notFound);
    }
    await disconnectMachine(gateway, { userId: 'ada' });
    expect(await running).toMatchObject({
      state: 'failed',
      error: { code: 'DISCONNECTED', message: 'Local gateway disconnected' },
    });
    const again = await connect(gateway, 'ada');
    await expect(gateway.daemon.respond(again.key, delivered, text('late'))).rejects.toMatchObject(notFound);
  });

  it.each<[string, (key: string, requestId: string) => Promise<unknown>]>([
    ['succeeded', (key, requestId) => fixture.gateway.daemon.respond(key, requestId, text('ok'))],
    ['was cancelled', (_key, requestId) => fixture.gateway.calls.cancel('ada', requestId)],
  ])('from another machine, to a call that %s, are for an unknown one', async (_name, end) => {
    const { gateway, clock, stream, key } = await connected();
    const ben = await connect(gateway, 'ben');
    const running = callerOf(gateway, 'ada').run(read, ended);
    await clock.settle();
    await end(key, idOf(stream));
    const call = await running;
    for (const body of [text('ok'), text('other')]) {
      await expect(gateway.daemon.respond(ben.key, idOf(stream), body)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
    expect(await gateway.calls.get('ada', idOf(stream))).toEqual(call);
  });

  it('after the timeout change nothing', async () => {
    const { gateway, clock, stream, key } = await connected();
    const running = callerOf(gateway, 'ada').run(read, ended);
    await clock.settle(30_000);
    const call = await running;
    expect(await gateway.daemon.respond(key, idOf(stream), text('late'))).toEqual({ ok: true });
    expect(await gateway.calls.get('ada', idOf(stream))).toEqual({
      ...call,
      started: true,
      rev: call.rev + 1,
    });
  });
});
