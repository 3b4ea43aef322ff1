import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { connect, openStream, question, text } from '../../../../test/gateway-fixture.ts';
import {
  bothTypes,
  connectAnswering,
  eras,
  messageOf,
  openMcp,
  type McpFixture,
  type RequestParams,
} from '../../../../test/mcp.ts';

interface Answer {
  content: { text: string }[];
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

const write = { name: 'write_file', arguments: { filePath: 'a.txt', content: 'a' } };
const keyed = (key: unknown) => ({ ...write, _meta: { 'drawbridge/idempotencyKey': key } });
const firstLine =
  'An equal call ran a moment ago and its result was not delivered. It was not run again: this is its result.';

describe.each(eras)('%s', (_revision, request) => {
  const post = async (mcp: McpFixture, params: RequestParams, bearer = 'ada') => {
    const { body, headers } = request('tools/call', params);
    return messageOf(await mcp.post(body, { headers, bearer })) as { result?: Answer; error?: unknown };
  };
  const call = async (mcp: McpFixture, params: RequestParams, bearer = 'ada') =>
    (await post(mcp, params, bearer)).result;
  const callIdOf = (answer: Answer | undefined) => String(answer?._meta?.['drawbridge/callId']);

  /** Sends a call and leaves: at once, or when the answer has begun to arrive. */
  const callAndLeave = async (mcp: McpFixture, params: RequestParams, leave: 'running' | 'answered') => {
    const { body, headers } = request('tools/call', params);
    const sent = httpRequest(`${mcp.url}/mcp`, {
      method: 'POST',
      headers: { ...bothTypes, 'content-type': 'application/json', authorization: 'Bearer ada', ...headers },
    });
    sent.on('error', () => {});
    const begun = new Promise<void>((resolve) => {
      sent.on('response', (response) => {
        response.on('error', () => {});
        response.pause();
        resolve();
      });
    });
    sent.end(JSON.stringify(body));
    if (leave === 'answered') await begun;
    return () => void sent.destroy();
  };

  it('MC-15 the same key returns the first outcome, also while it still runs', async () => {
    const mcp = await openMcp();
    const { key, stream } = await connect(mcp.gateway, 'ada');
    const both = [call(mcp, keyed('k1')), call(mcp, keyed('k1'))];
    await expect.poll(() => stream.requests().length).toBe(1);
    const [{ requestId = '' } = {}] = stream.requests();
    await mcp.gateway.daemon.respond(key, requestId, text('written'));
    const answers = [...(await Promise.all(both)), await call(mcp, keyed('k1'))];
    expect(answers.map((answer) => answer?.content)).toEqual(
      Array.from({ length: 3 }, () => [{ type: 'text', text: 'written' }]),
    );
    expect(answers.map((answer) => answer?._meta?.['drawbridge/repeatOf']).toSorted()).toEqual([
      requestId,
      requestId,
      undefined,
    ]);
    expect(stream.requests()).toHaveLength(1);
  });

  it('a key of another call is refused in words; another token’s key is its own', async () => {
    const mcp = await openMcp();
    const machine = await connectAnswering(mcp, 'ada', { answer: () => text('written') });
    await call(mcp, keyed('k1'));
    expect(await call(mcp, { ...keyed('k1'), arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: 'This idempotency key belongs to another call. Use a new key for a new call.' }],
    });
    expect(machine.requests).toHaveLength(1);
    await call(mcp, keyed('k1'), 'ada-other');
    expect(machine.requests).toHaveLength(2);
  });

  it.each([[''], ['a b'], ['k'.repeat(201)], [7], [null], ['ü']])('%j is no key', async (key) => {
    const mcp = await openMcp();
    const machine = await connectAnswering(mcp, 'ada', { answer: () => text('written') });
    expect(await post(mcp, keyed(key))).toMatchObject({ error: { code: -32_602 } });
    expect(machine.requests).toEqual([]);
  });

  it('a call that was refused before it was made does not use up its key', async () => {
    const mcp = await openMcp();
    expect(await call(mcp, keyed('k1'))).toMatchObject({ isError: true });
    await connectAnswering(mcp, 'ada', { answer: () => text('written') });
    expect(await call(mcp, keyed('k1'))).toMatchObject({ content: [{ text: 'written' }] });
  });

  it('MC-15 an answer that was not fully delivered is sent again, and the tool does not run twice', async () => {
    const mcp = await openMcp();
    const long = 'x'.repeat(12 * 1024 * 1024);
    const machine = await connectAnswering(mcp, 'ada', { answer: () => text(long) });
    const leave = await callAndLeave(mcp, write, 'answered');
    leave();
    await expect.poll(() => mcp.database.db.selectFrom('onceKeys').selectAll().execute()).toHaveLength(1);
    const again = await call(mcp, write);
    expect(again?.content.map((block) => block.text)).toEqual([firstLine, long]);
    expect(again?._meta?.['drawbridge/repeatOf']).toBe(callIdOf(again));
    expect(machine.requests).toHaveLength(1);
    expect((await call(mcp, write))?.content).toHaveLength(1);
    expect(machine.requests).toHaveLength(2);
  }, 120_000);

  it('MC-15 a client that disconnected during a call gets its result on a repeat; 60 s later the call is a new one', async () => {
    const mcp = await openMcp();
    const { key, stream } = await connect(mcp.gateway, 'ada');
    const leave = await callAndLeave(mcp, write, 'running');
    await expect.poll(() => stream.requests().length).toBe(1);
    leave();
    await expect.poll(() => mcp.database.db.selectFrom('onceKeys').selectAll().execute()).toHaveLength(1);
    expect(await call(mcp, write)).toMatchObject({
      isError: true,
      content: [{ text: firstLine }, { text: 'The call was cancelled.' }],
    });
    expect(stream.requests()).toHaveLength(1);
    const other = call(mcp, { ...write, arguments: {} });
    await expect.poll(() => stream.requests().length).toBe(2);
    await mcp.gateway.daemon.respond(key, stream.requests()[1]?.requestId ?? '', text('other'));
    expect(await other).toMatchObject({ content: [{ text: 'other' }] });
  });

  it('a reading tool runs again', async () => {
    const mcp = await openMcp();
    const { key, stream } = await connect(mcp.gateway, 'ada');
    const leave = await callAndLeave(mcp, { ...write, name: 'read_file' }, 'running');
    await expect.poll(() => stream.requests().length).toBe(1);
    leave();
    await expect.poll(() => stream.events.at(-1)?.type).toBe('tool-call-cancel');
    const again = call(mcp, { ...write, name: 'read_file' });
    await expect.poll(() => stream.requests().length).toBe(2);
    await mcp.gateway.daemon.respond(key, stream.requests()[1]?.requestId ?? '', text('read'));
    expect(await again).toMatchObject({ content: [{ text: 'read' }] });
  });

  it('MC-15 a client that does not ask for the outcome but calls again opens no second question', async () => {
    const mcp = await openMcp();
    const { key, stream } = await connect(mcp.gateway, 'ada');
    const soon = { ...write, _meta: { 'drawbridge/waitMs': 0 } };
    const first = call(mcp, soon);
    await expect.poll(() => stream.requests().length).toBe(1);
    const [{ requestId = '' } = {}] = stream.requests();
    await mcp.gateway.daemon.respond(key, requestId, question());
    expect(callIdOf(await first)).toBe(requestId);
    expect(await call(mcp, soon)).toMatchObject({
      content: [{ text: firstLine }, { text: expect.stringContaining("Waiting for the user's decision") }],
      _meta: { 'drawbridge/callId': requestId, 'drawbridge/repeatOf': requestId },
    });
    const [confirmation] = await mcp.gateway.confirmations.list('ada');
    const answer = { approved: true, resourceDecision: 'allowOnce' } as const;
    await mcp.gateway.confirmations.decide('ada', { confirmationId: confirmation?.id ?? '' }, answer);
    await expect.poll(() => stream.requests().length).toBe(2);
    await mcp.gateway.daemon.respond(key, requestId, text('written'));
    const outcome = await call(mcp, { name: 'call_result', arguments: { id: requestId } });
    expect(outcome).toMatchObject({ content: [{ text: 'written' }] });
    const anew = call(mcp, write);
    await expect.poll(() => stream.requests().length).toBe(3);
    await mcp.gateway.daemon.respond(key, stream.requests()[2]?.requestId ?? '', text('written anew'));
    expect(await anew).toMatchObject({ content: [{ text: 'written anew' }] });
  });

  it('MC-15 a call that a stopped server left open does not run again', async () => {
    const before = await openMcp();
    const { key, stream } = await connect(before.gateway, 'ada');
    await callAndLeave(before, write, 'running');
    await expect.poll(() => stream.requests().length).toBe(1);
    const [{ requestId = '' } = {}] = stream.requests();
    const mcp = await before.restart();
    const resumed = await openStream(mcp.gateway, key);
    const again = call(mcp, write);
    await expect.poll(() => resumed.requests().map((one) => one.requestId)).toEqual([requestId]);
    await mcp.gateway.daemon.respond(key, requestId, text('written'));
    expect(await again).toMatchObject({ content: [{ text: firstLine }, { text: 'written' }] });
  });
});
