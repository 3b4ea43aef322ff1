import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { initBody, text } from '../../../../test/gateway-fixture.ts';
import {
  bearers,
  bothTypes,
  connectAnswering,
  eras,
  messageOf,
  messagesIn,
  modernRequest,
  olderRequest,
  openMcp,
  type McpFixture,
} from '../../../../test/mcp.ts';
import { bearerCaller } from '../../../callers/index.ts';
import { createSealedState } from '../elicitation/sealed-state.ts';
import { answerWithSdk } from '../sdk/sdk-server.ts';
import { machineBus } from '../transport/list-changes.ts';
import { readPlainRequest } from './plain-request.ts';

type Message = ReturnType<typeof olderRequest>;

/** What the protocol's own server answers to the same message. */
const oracle = async ({ gateway, clock, errors }: McpFixture, { body, headers }: Message) => {
  const ctx = {
    gateway,
    clock,
    sealedState: createSealedState({ secret: 's'.repeat(43), clock, ttlMs: 1_000 }),
    panelUrl: () => 'http://panel',
    waitMs: 50_000,
    onError: (error: unknown) => void errors.push(error),
  };
  const caller = bearerCaller(bearers['ada-reads'] as never);
  const sent = { ...bothTypes, 'content-type': 'application/json', ...headers };
  // What of a request the protocol's server is given.
  const request = { method: 'POST', body, headers: sent } as unknown as FastifyRequest;
  const response = await answerWithSdk(ctx, {
    caller,
    request,
    signal: new AbortController().signal,
    delivered: Promise.resolve(true),
    bus: machineBus({ gateway, onError: () => {} }, caller),
  });
  const all = await response.text();
  return { status: response.status, message: messagesIn(all) };
};

const ours = async (mcp: McpFixture, { body, headers }: Message) => {
  const got = await mcp.post(body, { bearer: 'ada-reads', headers });
  return { status: got.status, message: messagesIn(got.text) };
};

/** Each call has an id of its own. */
const withoutCallId = (answer: unknown) =>
  JSON.parse(
    JSON.stringify(answer).replaceAll(/"drawbridge\/(callId|requestId)":"[\w-]+"/g, '"drawbridge/$1":"id"'),
  ) as unknown;

const read = { name: 'read_file', arguments: { filePath: 'a.txt' } };

describe.each(eras)('a plain message of %s is answered as the protocol’s own server does', (_, request) => {
  const startMachine = async () => {
    const mcp = await openMcp();
    const tools = ['read_file', 'write_file', 'search_files'].map((name) => ({
      name,
      title: name,
      description: `About ${name}`,
      inputSchema: { type: 'object', properties: { filePath: { type: 'string' } }, required: ['filePath'] },
      outputSchema: { type: 'object', properties: { a: { type: 'number' } } },
      annotations: { readOnlyHint: true, category: 'filesystem' },
    }));
    await connectAnswering(mcp, 'ada', {
      body: initBody({ tools }),
      answer: ({ toolCall }) =>
        toolCall.arguments.fail === undefined
          ? text('read', { structuredContent: { a: 1 }, _meta: { 'x/y': [1] } })
          : { error: 'it failed' },
    });
    return mcp;
  };

  it.each([
    ['a list', request('tools/list')],
    ['a list with unknown parameters', request('tools/list', { _meta: { 'a/b': 1 } })],
    ['a call', request('tools/call', read)],
    ['a call with a text as its id', request('tools/call', read, 'x')],
    ['a call without arguments', request('tools/call', { name: 'machine_status' })],
    ['a call of a tool that fails', request('tools/call', { ...read, arguments: { fail: 1 } })],
    [
      'a call with a token for progress that never comes',
      request('tools/call', { ...read, _meta: { progressToken: 7 } }),
    ],
    ['a tool that is unknown', request('tools/call', { name: 'nothing', arguments: {} })],
    ['a tool out of reach', request('tools/call', { name: 'write_file', arguments: {} })],
  ])('%s', async (_, message) => {
    const mcp = await startMachine();
    const expected = await oracle(mcp, message);
    expect(withoutCallId(await ours(mcp, message))).toEqual(withoutCallId(expected));
    expect(expected.message).toHaveLength(1);
  });

  it.each([
    ['arguments that are a list', request('tools/call', { name: 'read_file', arguments: [] })],
    ['a name that is a number', request('tools/call', { name: 7 as never })],
    ['a cursor', request('tools/list', { cursor: 'x' })],
    ['a task', request('tools/call', { ...read, task: { ttl: 1 } })],
    [
      'a token for progress that is an object',
      request('tools/call', { ...read, _meta: { progressToken: {} } }),
    ],
    ['a state of an earlier round', request('tools/call', { ...read, requestState: 'x' })],
    ['answers to questions', request('tools/call', { ...read, inputResponses: { a: { action: 'accept' } } })],
  ])('%s is left to it', async (_, message) => {
    const mcp = await startMachine();
    expect(withoutCallId(await ours(mcp, message))).toEqual(withoutCallId(await oracle(mcp, message)));
    const headers = { version: '2025-11-25', method: undefined, name: undefined, accept: bothTypes.accept };
    expect(readPlainRequest({ kind: 'legacy', reason: 'no-claim' }, message.body, headers)).toBeNull();
  });
});

it.each([
  ['a type that it does not take', { accept: 'application/json' }],
  ['a revision that is unknown', { 'mcp-protocol-version': '2024-01-01' }],
])('2025-11-25 with %s is refused as there', async (_, headers) => {
  const mcp = await openMcp();
  const { body } = olderRequest('tools/list');
  const message = { body, headers: { ...olderRequest('tools/list').headers, ...headers } };
  const answer = await ours(mcp, message);
  expect(answer).toEqual(await oracle(mcp, message));
  expect(answer.status).toBeGreaterThanOrEqual(400);
});

it('a parameter that a header repeats is compared', async () => {
  const mcp = await openMcp();
  const schema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
  const machine = await connectAnswering(mcp, 'ada', {
    body: initBody({ tools: [{ name: 'read_file', inputSchema: schema }] }),
    answer: () => text('ran'),
  });
  const { body, headers } = modernRequest('tools/call', { name: 'read_file', arguments: { region: 'eu' } });
  const ask = async (more: Record<string, string>) => {
    const got = await mcp.post(body, { headers: { ...headers, ...more } });
    return [got.status, messageOf(got)];
  };
  const mismatch = [400, { error: { code: -32_020 } }];
  expect(await ask({})).toMatchObject(mismatch);
  expect(await ask({ 'mcp-param-region': 'us' })).toMatchObject(mismatch);
  expect(machine.requests).toEqual([]);
  expect(await ask({ 'mcp-param-region': 'eu' })).toMatchObject([
    200,
    { result: { content: [{ text: 'ran' }] } },
  ]);
});
