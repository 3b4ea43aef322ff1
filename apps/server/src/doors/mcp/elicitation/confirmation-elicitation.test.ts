import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect, it, onTestFinished } from 'vitest';
import { connect, question, text } from '../../../../test/gateway-fixture.ts';
import {
  messageOf,
  modernRequest,
  openMcp,
  type McpFixture,
  type RequestParams,
} from '../../../../test/mcp.ts';

const write = { name: 'write_file', arguments: { filePath: 'a.txt', content: 'a' } };
const capabilities = { elicitation: { url: {} } };
const capable = { 'io.modelcontextprotocol/clientCapabilities': capabilities };
const info = { name: 'test', version: '1' };
const options = { requestInit: { headers: { authorization: 'Bearer ada' } } };

interface Result {
  resultType: string;
  inputRequests?: { decision: { method: string; params: { mode: string; url: string } } };
  requestState?: string;
  content?: { text: string }[];
  structuredContent?: { state: string };
  _meta?: Record<string, unknown>;
}

const post = async (
  mcp: McpFixture,
  params: RequestParams,
  more: { bearer?: string; path?: string } = {},
) => {
  const { body, headers } = modernRequest('tools/call', {
    ...params,
    _meta: { ...capable, ...params._meta },
  });
  return messageOf(await mcp.post(body, { headers, ...more })) as { result?: Result; error?: unknown };
};

/** A machine that asks about each call first, and writes when it is allowed. */
const connectAsking = async (mcp: McpFixture) => {
  const { key, stream } = await connect(mcp.gateway, 'ada');
  const seen = async (count: number) => {
    await expect.poll(() => stream.requests().length).toBe(count);
    return stream.requests().at(-1)?.requestId ?? '';
  };
  const ask = async () => {
    await mcp.gateway.daemon.respond(key, await seen(1), question());
    await expect.poll(() => mcp.gateway.confirmations.list('ada')).toHaveLength(1);
    const [confirmation] = await mcp.gateway.confirmations.list('ada');
    return confirmation?.id ?? '';
  };
  const allow = async (confirmationId: string) => {
    const answer = { approved: true, resourceDecision: 'allowOnce' } as const;
    await mcp.gateway.confirmations.decide('ada', { confirmationId }, answer);
    await mcp.gateway.daemon.respond(key, await seen(2), text('written'));
  };
  return { stream, ask, allow };
};

/** A call that is asked about, and the state that its client was given. */
const begin = async (mcp: McpFixture) => {
  const machine = await connectAsking(mcp);
  const answer = post(mcp, write);
  const confirmationId = await machine.ask();
  const { result } = await answer;
  return { ...machine, confirmationId, result, requestState: result?.requestState ?? '' };
};

const refused = { error: { code: -32_602, message: 'Invalid or expired requestState' } };
const soon = { 'drawbridge/waitMs': 0 };

it('a client that can show a page gets that of the question and returns for the outcome', async () => {
  const mcp = await openMcp();
  const { result, requestState, confirmationId, allow, stream } = await begin(mcp);
  expect(result).toMatchObject({
    resultType: 'input_required',
    inputRequests: {
      decision: {
        method: 'elicitation/create',
        params: { mode: 'url', url: `${mcp.url}/confirmations/${confirmationId}` },
      },
    },
    requestState: expect.any(String),
    _meta: { 'drawbridge/callId': stream.requests()[0]?.requestId },
  });
  const back = post(mcp, { ...write, requestState, inputResponses: { decision: { action: 'accept' } } });
  await allow(confirmationId);
  expect((await back).result).toMatchObject({ resultType: 'complete', content: [{ text: 'written' }] });
});

it.each([
  ['accept', { decision: { action: 'accept' } }],
  [
    'accept with a decision',
    { decision: { action: 'accept', content: { resourceDecision: 'alwaysAllow' } } },
  ],
  ['a decision of the wire', { decision: { approved: true, resourceDecision: 'alwaysAllow' } }],
  ['decline', { decision: { action: 'decline' } }],
  ['nothing', undefined],
])('MC-10 %s from the client decides nothing', async (_, inputResponses) => {
  const mcp = await openMcp();
  const { requestState, confirmationId, stream } = await begin(mcp);
  const { result } = await post(mcp, {
    ...write,
    requestState,
    ...(inputResponses && { inputResponses }),
    _meta: soon,
  });
  expect(result).toMatchObject({ structuredContent: { state: 'awaiting-confirmation' } });
  expect(await mcp.gateway.confirmations.list('ada')).toMatchObject([{ id: confirmationId, state: 'open' }]);
  expect(stream.requests()).toHaveLength(1);
});

it('MC-10 answers without a state make neither a decision nor a second question', async () => {
  const mcp = await openMcp();
  const { stream } = await begin(mcp);
  const inputResponses = { decision: { action: 'accept' } };
  const { result } = await post(mcp, { ...write, inputResponses, _meta: soon });
  expect(result).toMatchObject({ _meta: { 'drawbridge/repeatOf': expect.any(String) } });
  expect(stream.requests()).toHaveLength(1);
});

const flipped = (state: string, at: number) =>
  state.slice(0, at) + (state[at] === 'A' ? 'B' : 'A') + state.slice(at + 1);

it.each<[string, (state: string) => [RequestParams, { bearer?: string; path?: string }?]]>([
  ['changed at its beginning', (state) => [{ ...write, requestState: flipped(state, 0) }]],
  ['changed in the middle', (state) => [{ ...write, requestState: flipped(state, 40) }]],
  ['cut', (state) => [{ ...write, requestState: state.slice(0, -4) }]],
  ['none of ours', () => [{ ...write, requestState: 'x'.repeat(100) }]],
  ['empty', () => [{ ...write, requestState: '' }]],
  ['another token’s', (state) => [{ ...write, requestState: state }, { bearer: 'ada-other' }]],
  ['for another tool', (state) => [{ ...write, name: 'read_file', requestState: state }]],
  ['for other arguments', (state) => [{ ...write, arguments: { filePath: 'b.txt' }, requestState: state }]],
])('MC-09 a state that is %s is refused, and nothing runs', async (_, change) => {
  const mcp = await openMcp();
  const { requestState, stream } = await begin(mcp);
  const [params, more] = change(requestState);
  expect(await post(mcp, { ...params, _meta: soon }, more)).toMatchObject(refused);
  expect(stream.requests()).toHaveLength(1);
});

it('MC-09 another user’s state is refused', async () => {
  const mcp = await openMcp();
  const { requestState } = await begin(mcp);
  const bobs = await connect(mcp.gateway, 'bob');
  expect(await post(mcp, { ...write, requestState, _meta: soon }, { bearer: 'bob' })).toMatchObject(refused);
  expect(bobs.stream.requests()).toEqual([]);
});

it('MC-09 a state is used once, after a restart too, and an approved call never runs again', async () => {
  const before = await openMcp();
  const { requestState, confirmationId, allow, stream } = await begin(before);
  const back = post(before, { ...write, requestState });
  await allow(confirmationId);
  expect((await back).result).toMatchObject({ content: [{ text: 'written' }] });
  expect(await post(before, { ...write, requestState })).toMatchObject(refused);
  expect(await post(await before.restart(), { ...write, requestState })).toMatchObject(refused);
  expect(stream.requests()).toHaveLength(2);
});

it('MC-09 a state is good for a day', async () => {
  const mcp = await openMcp();
  const { requestState } = await begin(mcp);
  mcp.clock.advance(24 * 3_600_000);
  expect(await post(mcp, { ...write, requestState, _meta: soon })).toMatchObject(refused);
});

it('a client of 2026-07-28 shows the page and has the outcome from one call', async () => {
  const mcp = await openMcp();
  const machine = await connectAsking(mcp);
  const versionNegotiation = { mode: { pin: '2026-07-28' } } as const;
  const client = new ModernClient(info, { versionNegotiation, capabilities });
  const shown: unknown[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    shown.push(params.mode === 'url' && params.url);
    return { action: 'accept' };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${mcp.url}/mcp`), options));
  onTestFinished(() => client.close());
  const answer = client.callTool(write);
  const confirmationId = await machine.ask();
  await expect.poll(() => shown).toEqual([`${mcp.url}/confirmations/${confirmationId}`]);
  await machine.allow(confirmationId);
  expect(await answer).toMatchObject({ content: [{ text: 'written' }] });
});

it('MC-10 a client of 2025-11-25 shows the page while its call waits, and what it answers decides nothing', async () => {
  const mcp = await openMcp();
  const machine = await connectAsking(mcp);
  const client = new OlderClient(info, { capabilities });
  const shown: unknown[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    shown.push(params);
    return { action: 'accept', content: { resourceDecision: 'alwaysAllow' } };
  });
  client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
    shown.push(params);
  });
  await client.connect(new OlderTransport(new URL(`${mcp.url}/mcp`), options) as never);
  onTestFinished(() => client.close());
  const answer = client.callTool(write);
  const confirmationId = await machine.ask();
  const page = {
    mode: 'url',
    elicitationId: confirmationId,
    url: `${mcp.url}/confirmations/${confirmationId}`,
    message: 'write_file waits for your decision. Decide on this page, then continue here.',
  };
  await expect.poll(() => shown).toEqual([page]);
  await mcp.clock.settle(20_000);
  expect(await mcp.gateway.confirmations.list('ada')).toMatchObject([{ id: confirmationId, state: 'open' }]);
  await machine.allow(confirmationId);
  expect(await answer).toMatchObject({ content: [{ text: 'written' }] });
  expect(shown).toEqual([page, { elicitationId: confirmationId }]);
});
