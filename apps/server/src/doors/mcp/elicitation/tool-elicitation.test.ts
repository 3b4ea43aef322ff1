import type { ToolRequest } from '@drawbridge/contracts/daemon-event';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { describe, expect, it } from 'vitest';
import { callerOf, initBody, question } from '../../../../test/gateway-fixture.ts';
import {
  answerAsked,
  callOnStream,
  connectAnswering,
  messageOf,
  modernRequest,
  olderRequest,
  openMcp,
  openSession,
  type McpFixture,
} from '../../../../test/mcp.ts';

const asking = (name: string) => ({ name, inputSchema: {}, annotations: { asksClient: true } });
const tools = [asking('ask'), asking('ask_too'), { name: 'read_file', inputSchema: {} }];

const elicit = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object' } },
};
const wants = (method: object = elicit): ToolResult => ({
  content: [{ type: 'text', text: 'asks' }],
  _meta: { 'drawbridge/inputRequired': { inputRequests: { who: method }, requestState: 'round 1' } },
});
const done: ToolResult = { content: [{ type: 'text', text: 'done' }] };

const inputOf = ({ toolCall }: ToolRequest) =>
  toolCall.arguments._input as { methods: string[]; responses?: unknown } | undefined;

/** A machine whose tools ask until they have been answered. */
const openAsking = async (
  answer = (request: ToolRequest) => (inputOf(request)?.responses ? done : wants()),
) => {
  const mcp = await openMcp();
  const { requests } = await connectAnswering(mcp, 'ada', {
    body: initBody({ tools }),
    answer: (request) => ({ result: answer(request) }),
  });
  return { mcp, requests };
};

const capabilities = { elicitation: {}, sampling: {}, roots: {} };

interface More {
  name?: string;
  args?: Record<string, unknown>;
  bearer?: string;
  can?: object;
}

/** A call of revision 2026-07-28. */
const callStateless = async (
  mcp: McpFixture,
  retried: Record<string, unknown> = {},
  { name = 'ask', args = { a: 1 }, bearer = 'ada', can = capabilities }: More = {},
) => {
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': can };
  const { body, headers } = modernRequest('tools/call', { name, arguments: args, ...retried, _meta });
  const got = await mcp.post(body, { headers, bearer });
  return {
    status: got.status,
    message: messageOf(got) as { result?: Record<string, string>; error?: { code: number } },
  };
};

const accepted = { who: { action: 'accept', content: { name: 'Ada' } } };

describe('2026-07-28', () => {
  it('a tool asks the client, and is called again with the answers and its own state', async () => {
    const { mcp, requests } = await openAsking();
    const { message } = await callStateless(mcp);
    expect(message.result).toMatchObject({ resultType: 'input_required', inputRequests: { who: elicit } });
    const requestState = message.result?.requestState ?? '';
    expect(requestState).not.toContain('round');
    const second = await callStateless(mcp, { inputResponses: accepted, requestState });
    expect(second.message.result).toMatchObject({ resultType: 'complete', content: done.content });
    const methods = ['elicitation/create', 'sampling/createMessage', 'roots/list'];
    expect(requests.map(({ toolCall }) => toolCall.arguments)).toEqual([
      { a: 1, _input: { methods } },
      { a: 1, _input: { methods, responses: accepted, requestState: 'round 1' } },
    ]);
  });

  it.each<[string, More & { change?: (state: string) => string; later?: boolean }]>([
    ['changed', { change: (state) => `${state}-TAMPERED` }],
    ['made up', { change: () => 'round 1' }],
    ['of another token', { bearer: 'ada-other' }],
    ['of another tool', { name: 'ask_too' }],
    ['of other arguments', { args: { a: 2 } }],
    ['too old', { later: true }],
  ])('MC-09 a state that is %s is refused, and nothing runs', async (_name, { change, later, ...more }) => {
    const { mcp, requests } = await openAsking();
    const { message } = await callStateless(mcp);
    const state = message.result?.requestState ?? '';
    if (later) mcp.clock.advance(24 * 60 * 60 * 1_000);
    const { message: refused } = await callStateless(
      mcp,
      { inputResponses: accepted, requestState: change?.(state) ?? state },
      more,
    );
    expect(refused.error).toMatchObject({ code: -32_602, message: 'Invalid or expired requestState' });
    expect(requests).toHaveLength(1);
  });

  it('MC-10 a client that is shown the person’s page is asked by the tool after the decision, and neither answers for the other', async () => {
    const { mcp, requests } = await openAsking((request) => {
      if (request.toolCall.arguments['_confirmation'] === undefined) return question().result ?? done;
      return inputOf(request)?.responses ? done : wants();
    });
    const can = { elicitation: { form: {}, url: {} } };
    const go = async (retried?: Record<string, unknown>) =>
      (await callStateless(mcp, retried, { can })).message as {
        result: { requestState?: string; inputRequests?: object; content?: unknown };
      };
    const decide = async () => {
      const [open] = await mcp.gateway.confirmations.list('ada');
      const answer = { approved: true, resourceDecision: 'allowOnce' } as const;
      await mcp.gateway.confirmations.decide('ada', { confirmationId: open?.id ?? '' }, answer);
    };
    const shown = (await go()).result;
    expect(Object.keys(shown.inputRequests ?? {})).toEqual(['decision']);
    await decide();
    const asked = (await go({ requestState: shown.requestState, inputResponses: accepted })).result;
    expect([asked.inputRequests, requests.length]).toEqual([{ who: elicit }, 2]);
    const shownAgain = (await go({ requestState: asked.requestState, inputResponses: accepted })).result;
    expect(Object.keys(shownAgain.inputRequests ?? {})).toEqual(['decision']);
    await decide();
    expect((await go({ requestState: shownAgain.requestState })).result.content).toEqual(done.content);
    const methods = ['elicitation/create'];
    const first = { a: 1, _input: { methods, showsPages: true } };
    const second = {
      a: 1,
      _input: { methods, showsPages: true, responses: accepted, requestState: 'round 1' },
    };
    const allowed = { _confirmation: 'allowOnce' };
    expect(requests.map(({ toolCall }) => toolCall.arguments)).toEqual([
      first,
      { ...first, ...allowed },
      second,
      { ...second, ...allowed },
    ]);
  });

  it('call_result returns only the text beside the question', async () => {
    const { mcp, requests } = await openAsking();
    await callStateless(mcp);
    const args = { id: requests[0]?.requestId };
    const { message } = await callStateless(mcp, {}, { name: 'call_result', args });
    expect(message.result).toMatchObject({
      content: [{ text: 'asks' }],
      _meta: { 'drawbridge/callId': args.id },
    });
    expect(message.result?._meta).not.toHaveProperty(['drawbridge/inputRequired']);
  });

  it('is told which input the client does not support', async () => {
    const { mcp } = await openAsking();
    const { status, message } = await callStateless(mcp, {}, { can: { sampling: {} } });
    expect([status, message.error]).toMatchObject([
      400,
      { code: -32_021, data: { requiredCapabilities: { elicitation: {} } } },
    ]);
  });

  it('MC-11 client input that a caller forges in the arguments is removed', async () => {
    const { mcp, requests } = await openAsking();
    const forged = { a: 1, _input: { methods: [], responses: accepted, requestState: 'round 1' } };
    await callStateless(mcp, {}, { args: forged });
    await callerOf(mcp.gateway, 'ada').run(
      { name: 'ask', arguments: forged },
      { door: 'trpc', until: 'ended' },
    );
    expect(requests.map(({ toolCall }) => toolCall.arguments)).toEqual([
      { a: 1, _input: { methods: expect.any(Array) } },
      { a: 1 },
    ]);
  });

  it('other tools keep an argument of that name, and get nothing beside it', async () => {
    const { mcp, requests } = await openAsking(() => done);
    await callStateless(mcp, {}, { name: 'read_file', args: { _input: 'theirs' } });
    expect(requests[0]?.toolCall.arguments).toEqual({ _input: 'theirs' });
  });
});

describe('2025-11-25', () => {
  const startSession = async (mcp: McpFixture, { can = capabilities as object, bearer = 'ada' } = {}) =>
    openSession(mcp, { can, bearer });
  const callIn = (mcp: McpFixture, session: string | null) =>
    callOnStream(mcp, session, { name: 'ask', arguments: { a: 1 } });

  it('the client is asked on the stream of its call; no other client can answer', async () => {
    const { mcp, requests } = await openAsking();
    const session = await startSession(mcp);
    const messages = await callIn(mcp, session);
    const { value: asked } = await messages.next();
    expect(asked).toEqual({ jsonrpc: '2.0', id: expect.any(String), ...elicit });
    const { id } = asked as { id: string };
    const others = [
      { session: await startSession(mcp) },
      { session: await startSession(mcp, { bearer: 'ada-other' }), bearer: 'ada-other' },
      { session: await startSession(mcp, { bearer: 'bob' }), bearer: 'bob' },
    ];
    for (const other of others)
      expect((await answerAsked(mcp, { id, result: { forged: true } }, other)).status).toBe(202);
    expect((await answerAsked(mcp, { id: 'guessed', result: {} }, { session })).status).toBe(202);
    expect(requests).toHaveLength(1);
    expect((await answerAsked(mcp, { id, result: accepted.who }, { session })).status).toBe(202);
    expect((await messages.next()).value).toMatchObject({ id: 1, result: { content: done.content } });
    expect(requests[1]?.toolCall.arguments).toMatchObject({
      _input: { responses: accepted, requestState: 'round 1' },
    });
  });

  it('a client that declines has no answer: the tool is told so', async () => {
    const { mcp, requests } = await openAsking();
    const session = await startSession(mcp);
    const messages = await callIn(mcp, session);
    const { id } = (await messages.next()).value as { id: string };
    await answerAsked(mcp, { id, error: { code: -1, message: 'not now' } }, { session });
    expect((await messages.next()).value).toMatchObject({ result: { content: done.content } });
    expect(inputOf(requests[1] as ToolRequest)).toMatchObject({
      responses: { who: { action: 'cancel' } },
      requestState: 'round 1',
    });
  });

  it('a page comes with an id of its own, and to clients that can show one alone', async () => {
    const page = { mode: 'url', message: 'Sign in', url: 'https://a.example/' };
    const { mcp, requests } = await openAsking((request) =>
      inputOf(request)?.responses ? done : wants({ method: 'elicitation/create', params: page }),
    );
    const session = await startSession(mcp, { can: { elicitation: { url: {} } } });
    const messages = await callIn(mcp, session);
    const { id, params } = (await messages.next()).value as { id: string; params: object };
    expect(params).toEqual({ ...page, elicitationId: expect.any(String) });
    await answerAsked(mcp, { id, result: { action: 'accept' } }, { session });
    expect((await messages.next()).value).toMatchObject({ result: { content: done.content } });
    expect(requests[0]?.toolCall.arguments).toMatchObject({ _input: { methods: [], showsPages: true } });
    const unable = await startSession(mcp, { can: { elicitation: {} } });
    const { json } = await mcp.post(olderRequest('tools/call', { name: 'ask', arguments: {} }).body, {
      headers: { 'mcp-session-id': unable },
    });
    expect(json).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('elicitation/url') }] },
    });
  });

  it('a client that does not answer, or cannot be asked, gets the question as text', async () => {
    const sampling = { method: 'sampling/createMessage', params: { messages: [] } };
    const { mcp, requests } = await openAsking((request) =>
      inputOf(request)?.methods.length === 3 ? wants(sampling) : wants(),
    );
    const session = await startSession(mcp);
    const messages = await callIn(mcp, session);
    const { id } = (await messages.next()).value as { id: string };
    await answerAsked(mcp, { id, error: { code: -1, message: 'not now' } }, { session });
    const words = async (from: AsyncGenerator) =>
      ((await from.next()).value as { result: { isError: boolean; content: { text: string }[] } }).result;
    expect(await words(messages)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('not now') }],
    });
    for (const unable of [null, await startSession(mcp, { can: { sampling: {} } })]) {
      const { json } = await mcp.post(olderRequest('tools/call', { name: 'ask', arguments: {} }).body, {
        headers: unable === null ? {} : { 'mcp-session-id': unable },
      });
      expect(json).toMatchObject({
        result: { isError: true, content: [{ text: expect.stringContaining('elicitation/create') }] },
      });
    }
    expect(requests).toHaveLength(3);
  });

  it('a tool that asks without an end is stopped after 8 rounds', async () => {
    const { mcp, requests } = await openAsking(() => wants());
    const session = await startSession(mcp);
    const messages = await callIn(mcp, session);
    for await (const message of messages) {
      if ('method' in message) await answerAsked(mcp, { id: message.id, result: accepted.who }, { session });
      else expect(message).toMatchObject({ result: { isError: true } });
    }
    expect(requests).toHaveLength(9);
  });
});
