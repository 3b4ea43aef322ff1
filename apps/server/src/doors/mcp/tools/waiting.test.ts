import type { CallState } from '@drawbridge/contracts/calls';
import type { ToolRequest } from '@drawbridge/contracts/daemon-event';
import { describe, expect, it } from 'vitest';
import { connect, initBody, openStream, question, text } from '../../../../test/gateway-fixture.ts';
import {
  bothTypes,
  eras,
  messageOf,
  messagesIn,
  openMcp,
  type McpFixture,
  type RequestParams,
} from '../../../../test/mcp.ts';

interface Answer {
  content: { text: string }[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}
interface Message {
  method?: string;
  params?: { message?: string };
  result?: Answer;
  error?: unknown;
}

const write = { name: 'write_file', arguments: { filePath: 'a.txt', content: 'a' } };

/** All that came back, notifications first. */
const messagesOf = (all: string) => messagesIn(all) as Message[];

const remindersOf = (messages: Message[]) =>
  messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params?.message);

/** The call that is asked about, once it is. */
const asked = async ({ gateway }: McpFixture) => {
  await expect.poll(() => gateway.confirmations.list('ada')).toHaveLength(1);
  const [confirmation] = await gateway.confirmations.list('ada');
  if (!confirmation) throw new Error('Nothing is asked');
  return confirmation;
};

/** A machine that asks about the first request that comes. */
const connectAsking = async (mcp: McpFixture, body = initBody()) => {
  const { key, stream } = await connect(mcp.gateway, 'ada', body);
  const next = async (count: number): Promise<ToolRequest> => {
    await expect.poll(() => stream.requests().length).toBe(count);
    const request = stream.requests().at(-1);
    if (!request) throw new Error('Nothing was requested');
    return request;
  };
  const ask = async () => {
    const { requestId } = await next(1);
    await mcp.gateway.daemon.respond(key, requestId, question());
    return asked(mcp);
  };
  return { key, stream, next, ask };
};

const allow = ({ gateway }: McpFixture, confirmationId: string) =>
  gateway.confirmations.decide('ada', { confirmationId }, { approved: true, resourceDecision: 'allowOnce' });

describe.each(eras)('%s', (_revision, request) => {
  const post = (mcp: McpFixture, params: RequestParams, bearer = 'ada') => {
    const { body, headers } = request('tools/call', params);
    return mcp.post(body, { headers, bearer });
  };
  const call = async (mcp: McpFixture, params: RequestParams, bearer = 'ada') =>
    (messageOf(await post(mcp, params, bearer)) as Message).result;
  const outcome = (mcp: McpFixture, id: string, bearer = 'ada') =>
    call(mcp, { name: 'call_result', arguments: { id, waitMs: 0 } }, bearer);

  it('while the person is asked the client gets progress at once and every 10 s, and the result once allowed', async () => {
    const mcp = await openMcp();
    const machine = await connectAsking(mcp);
    const answer = post(mcp, { ...write, _meta: { progressToken: 'p' } });
    const { id, requestId } = await machine.ask();
    await mcp.clock.settle(25_000);
    await allow(mcp, id);
    await machine.next(2);
    await mcp.gateway.daemon.respond(machine.key, requestId, text('written'));
    const messages = messagesOf((await answer).text);
    const reminder = `Waiting for the user's decision at ${mcp.url}/confirmations/${id}`;
    expect(remindersOf(messages)).toEqual([reminder, reminder, reminder]);
    expect(messages.at(-1)?.result).toMatchObject({ content: [{ text: 'written' }] });
  });

  it('after the wait the answer says that the person is asked, and the call stays open', async () => {
    const mcp = await openMcp();
    const machine = await connectAsking(mcp);
    const answer = call(mcp, write);
    const { id, requestId } = await machine.ask();
    await mcp.clock.settle(49_999);
    expect(await mcp.gateway.calls.get('ada', requestId)).toMatchObject({ state: 'awaiting-confirmation' });
    await mcp.clock.settle(1);
    const confirmationUrl = `${mcp.url}/confirmations/${id}`;
    expect(await answer).toMatchObject({
      content: [
        {
          type: 'text',
          text:
            `Waiting for the user's decision at ${confirmationUrl}. write_file has not run. ` +
            `Do not call it again: ask for its outcome with call_result and the requestId ${requestId}.`,
        },
      ],
      structuredContent: { requestId, callId: requestId, state: 'awaiting-confirmation', confirmationUrl },
      _meta: {
        'drawbridge/requestId': requestId,
        'drawbridge/callId': requestId,
        'drawbridge/state': 'awaiting-confirmation',
        'drawbridge/confirmationUrl': confirmationUrl,
      },
    });
    expect((await answer)?.isError).toBeUndefined();
    expect(await asked(mcp)).toMatchObject({ id, state: 'open' });

    const waiting = call(mcp, { name: 'call_result', arguments: { id: requestId } });
    await allow(mcp, id);
    await machine.next(2);
    await mcp.gateway.daemon.respond(
      machine.key,
      requestId,
      text('written', { structuredContent: { bytes: 1 } }),
    );
    const whole = { content: [{ type: 'text', text: 'written' }], structuredContent: { bytes: 1 } };
    expect(await waiting).toMatchObject(whole);
    expect(await outcome(mcp, requestId)).toMatchObject(whole);
  });

  it('a tool with an output schema answers with isError while it has no structure', async () => {
    const mcp = await openMcp();
    const outputSchema = { type: 'object', properties: { bytes: { type: 'number' } }, required: ['bytes'] };
    const tools = [{ name: 'write_file', inputSchema: {}, outputSchema }];
    const machine = await connectAsking(mcp, initBody({ tools }));
    const answer = call(mcp, { ...write, _meta: { 'drawbridge/waitMs': 0 } });
    const { requestId } = await machine.ask();
    await mcp.clock.settle(0);
    expect(await answer).toMatchObject({ isError: true, _meta: { 'drawbridge/callId': requestId } });
    expect(await answer).not.toHaveProperty('structuredContent');
  });

  it.each([
    ['a client’s own', 1_000, 1_000],
    ['none', 0, 0],
    ['the longest', 600_000, 600_000],
  ])('the budget may be %s', async (_, waitMs, untilMs) => {
    const mcp = await openMcp({ limits: { callMaxMs: 3_600_000 } });
    const machine = await connectAsking(mcp);
    let ended = false;
    const answer = call(mcp, { ...write, _meta: { 'drawbridge/waitMs': waitMs } }).then((result) => {
      ended = true;
      return result;
    });
    await machine.ask();
    if (untilMs > 0) {
      await mcp.clock.settle(untilMs - 1);
      expect(ended).toBe(false);
      await mcp.clock.settle(1);
    }
    await mcp.clock.settle(0);
    expect(await answer).toMatchObject({ structuredContent: { state: 'awaiting-confirmation' } });
  });

  it.each([[-1], [600_001], [1.5], ['1000'], [null]])('a budget of %j is refused', async (waitMs) => {
    const mcp = await openMcp();
    const { stream } = await connect(mcp.gateway, 'ada');
    const message = messageOf(await post(mcp, { ...write, _meta: { 'drawbridge/waitMs': waitMs } }));
    expect(message).toMatchObject({ error: { code: -32_602 } });
    expect(stream.requests()).toEqual([]);
  });

  it('a tool that ran past the budget before it asks is answered at once', async () => {
    const mcp = await openMcp();
    const machine = await connectAsking(mcp);
    const answer = call(mcp, { ...write, _meta: { 'drawbridge/waitMs': 1_000 } });
    await machine.next(1);
    await mcp.clock.settle(5_000);
    await machine.ask();
    await mcp.clock.settle(0);
    expect(await answer).toMatchObject({ structuredContent: { state: 'awaiting-confirmation' } });
  });

  it('MC-14 a client that disconnects while the person is asked cancels its call; after its answer it does not', async () => {
    const mcp = await openMcp();
    const machine = await connectAsking(mcp);
    const leaving = new AbortController();
    const { body, headers } = request('tools/call', write);
    const answer = fetch(`${mcp.url}/mcp`, {
      method: 'POST',
      headers: { ...bothTypes, 'content-type': 'application/json', authorization: 'Bearer ada', ...headers },
      body: JSON.stringify(body),
      signal: leaving.signal,
    }).then((response) => response.text());
    const { requestId } = await machine.ask();
    leaving.abort();
    await expect(answer).rejects.toThrow();
    const stateOf = async (id: string): Promise<CallState> => (await mcp.gateway.calls.get('ada', id)).state;
    await expect.poll(() => stateOf(requestId)).toBe('cancelled');
    expect(await mcp.gateway.confirmations.list('ada')).toEqual([]);
  });

  it('call_result accepts the requestId of an answer, or its older name id', async () => {
    const mcp = await openMcp();
    const machine = await connectAsking(mcp);
    const answer = call(mcp, { ...write, _meta: { 'drawbridge/waitMs': 0 } });
    const { requestId } = await machine.ask();
    await mcp.clock.settle(0);
    await answer;
    const named = (args: object) =>
      post(mcp, { name: 'call_result', arguments: { ...args, waitMs: 0 } }).then(messageOf);
    const open = { result: { structuredContent: { requestId, callId: requestId } } };
    for (const args of [{ requestId }, { id: requestId }, { requestId, id: requestId }])
      expect(await named(args), JSON.stringify(args)).toMatchObject(open);
    const refused = {
      error: { code: -32_602, message: 'call_result needs the requestId of a call; waitMs is optional' },
    };
    for (const args of [{}, { requestId, id: 'another' }, { callId: requestId }])
      expect(await named(args), JSON.stringify(args)).toMatchObject(refused);
  });

  it('the outcome is there after a restart, days later', async () => {
    const before = await openMcp();
    const machine = await connectAsking(before);
    const answer = call(before, { ...write, _meta: { 'drawbridge/waitMs': 0 } });
    const { id, requestId } = await machine.ask();
    await before.clock.settle(0);
    await answer;
    const mcp = await before.restart();
    expect(await outcome(mcp, requestId)).toMatchObject({
      structuredContent: { state: 'awaiting-confirmation' },
    });
    const stream = await openStream(mcp.gateway, machine.key);
    await allow(mcp, id);
    await expect.poll(() => stream.requests().length).toBe(1);
    await mcp.gateway.daemon.respond(machine.key, requestId, text('written'));
    mcp.clock.advance(3 * 24 * 3_600_000);
    const later = await mcp.restart();
    expect(await outcome(later, requestId)).toMatchObject({ content: [{ text: 'written' }] });
  });

  it('another token’s call, another user’s and one out of scope are answered as an unknown call', async () => {
    const mcp = await openMcp();
    const machine = await connectAsking(mcp);
    const answer = call(mcp, { ...write, _meta: { 'drawbridge/waitMs': 0 } });
    const { requestId } = await machine.ask();
    await mcp.clock.settle(0);
    await answer;
    const unknown = await outcome(mcp, 'nobodys');
    expect(unknown).toMatchObject({ isError: true, content: [{ text: 'There is no call with this id.' }] });
    for (const bearer of ['ada-other', 'ada-reads', 'bob', 'ada-narrowed']) {
      expect(await outcome(mcp, requestId, bearer), bearer).toEqual(unknown);
    }
    expect(await outcome(mcp, requestId)).toMatchObject({ structuredContent: { callId: requestId } });
  });
});
