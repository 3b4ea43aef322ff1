import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { expect, it } from 'vitest';
import { initBody } from '../../../test/gateway-fixture.ts';
import {
  answerAsked,
  callOnStream,
  connectAnswering,
  olderRequest,
  openSession,
  openTwoMcp,
} from '../../../test/mcp.ts';

const elicit = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object' } },
};
const asks: ToolResult = {
  content: [{ type: 'text', text: 'asks' }],
  _meta: { 'drawbridge/inputRequired': { inputRequests: { who: elicit } } },
};
const done: ToolResult = { content: [{ type: 'text', text: 'done' }] };
const accepted = { action: 'accept', content: { name: 'Ada' } };
const tools = [
  { name: 'ask', inputSchema: {}, annotations: { asksClient: true } },
  { name: 'wait', inputSchema: {} },
];

/** A machine at the first server whose tool asks the client, and another that never ends. */
const openAsking = async (fate: 'arrives' | 'is lost') => {
  const servers = await openTwoMcp(() => fate);
  const { one } = servers;
  const never = new Promise<never>(() => {});
  const { requests } = await connectAnswering(one, 'ada', {
    body: initBody({ tools }),
    answer: async ({ toolCall }) => {
      if (toolCall.name === 'wait') return never;
      const input = toolCall.arguments._input as { responses?: unknown } | undefined;
      return { result: input?.responses ? done : asks };
    },
  });
  const session = await openSession(one, { can: { elicitation: {} } });
  const rows = () => one.database.db.selectFrom('clientMessages').selectAll().execute();
  return { ...servers, requests, session, rows };
};

/** By message at once, without it by the row in the next round. */
const ways = [
  ['at once', 'arrives', 0],
  ['2 s later where the message is lost', 'is lost', 2_000],
] as const;

it.each(ways)('an answer at another server reaches the call that asked, %s', async (_, fate, laterMs) => {
  const { one, two, requests, session, rows } = await openAsking(fate);
  const messages = await callOnStream(one, session, { name: 'ask', arguments: {} });
  const { id } = (await messages.next()).value as { id: string };
  expect((await answerAsked(two, { id, result: accepted }, { session })).status).toBe(202);
  await one.clock.settle(laterMs);
  expect((await messages.next()).value).toMatchObject({ id: 1, result: { content: done.content } });
  expect(requests[1]?.toolCall.arguments).toMatchObject({ _input: { responses: { who: accepted } } });
  await expect.poll(rows).toEqual([]);
});

it('at another server, too, no other client can answer, and nothing is stored for a guessed question', async () => {
  const { one, two, requests, session, rows } = await openAsking('is lost');
  const messages = await callOnStream(one, session, { name: 'ask', arguments: {} });
  const { id } = (await messages.next()).value as { id: string };
  const others = [
    { session: await openSession(two) },
    { session: await openSession(two, { bearer: 'ada-other' }), bearer: 'ada-other' },
    { session: await openSession(two, { bearer: 'bob' }), bearer: 'bob' },
  ];
  for (const other of others)
    expect((await answerAsked(two, { id, result: { forged: true } }, other)).status).toBe(202);
  await answerAsked(two, { id: 'guessed', result: {} }, { session });
  await one.clock.settle(4_000);
  expect([requests.length, (await rows()).length]).toEqual([1, 1]);
  await answerAsked(two, { id, result: accepted }, { session });
  // Only the first answer counts.
  await answerAsked(two, { id, result: { action: 'decline' } }, { session });
  await one.clock.settle(2_000);
  expect((await messages.next()).value).toMatchObject({ result: { content: done.content } });
  expect(requests[1]?.toolCall.arguments).toMatchObject({ _input: { responses: { who: accepted } } });
});

const cancelled = (requestId: unknown) => ({ method: 'notifications/cancelled', params: { requestId } });

it.each(ways)('a cancellation at another server stops the call, %s', async (_, fate, laterMs) => {
  const { one, two, requests, session, rows } = await openAsking(fate);
  const { body } = olderRequest('tools/call', { name: 'wait', arguments: {} }, 'w1');
  const answer = one.post(body, { headers: { 'mcp-session-id': session } }).catch(() => null);
  await expect.poll(() => requests.length).toBe(1);
  await answerAsked(two, cancelled('other'), { session });
  await answerAsked(two, cancelled('w1'), { session });
  // Too long to be stored: a client chooses it.
  await answerAsked(two, cancelled('w'.repeat(500)), { session });
  expect((await rows()).length).toBeLessThan(3);
  await one.clock.settle(laterMs);
  const { calls } = one.gateway;
  const stateOf = async () => (await calls.get('ada', requests[0]?.requestId ?? '')).state;
  await expect.poll(stateOf).toBe('cancelled');
  await answer;
  // What stopped nothing goes after a minute.
  await one.clock.settle(64_000);
  expect(await rows()).toEqual([]);
});

it('a question of a call that is cancelled at another server is removed with it', async () => {
  const { one, two, session, rows } = await openAsking('arrives');
  const messages = await callOnStream(one, session, { name: 'ask', arguments: {} });
  await messages.next();
  expect(await rows()).toMatchObject([{ body: null }]);
  await answerAsked(two, cancelled(1), { session });
  await expect.poll(rows).toEqual([]);
});

it('without a session nothing is cancelled, because another client may have used the id', async () => {
  const { one, two, requests, rows } = await openAsking('arrives');
  const { body } = olderRequest('tools/call', { name: 'wait', arguments: {} }, 'w1');
  const answer = one.post(body).catch(() => null);
  await expect.poll(() => requests.length).toBe(1);
  for (const server of [one, two]) await server.post({ jsonrpc: '2.0', ...cancelled('w1') });
  await one.clock.settle(4_000);
  expect(await rows()).toEqual([]);
  expect((await one.gateway.calls.get('ada', requests[0]?.requestId ?? '')).state).toBe('delivered');
  await one.gateway.calls.cancel('ada', requests[0]?.requestId ?? '');
  await answer;
});
