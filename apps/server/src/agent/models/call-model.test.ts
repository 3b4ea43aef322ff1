import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createServer } from 'node:http';
import type { ModelPart, ModelRequest } from '@drawbridge/agent';
import { createFakeClock, nextMacrotask, systemClock, type Clock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedModel, type Script } from '../../../../../e2e/agent/scripted-model.ts';
import { callModel } from './call-model.ts';
import type { Provider } from './choice.ts';

const key = 'sk-secret-key-of-the-owner';

const request: ModelRequest = {
  use: 'main',
  system: ['Be brief.', 'Today is Monday.'],
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'the words of the prompt' }] }],
  tools: [
    { name: 'read_file', description: 'Reads a file.', inputSchema: { type: 'object', properties: {} } },
  ],
};

interface Options {
  provider?: Provider;
  clock?: Clock;
  signal?: AbortSignal;
  messages?: ModelRequest['messages'];
}

const open = async (script: Script) => {
  const model = await startScriptedModel(script);
  onTestFinished(model.close);
  const call = ({ provider = 'compatible', clock = systemClock, signal, messages }: Options = {}) =>
    callModel(
      { choice: { id: 'stub', provider, model: 'stub', url: model.url, key }, clock },
      { ...request, messages: messages ?? request.messages },
      signal ?? new AbortController().signal,
    );
  return { model, call };
};

const collect = async (parts: AsyncIterable<ModelPart>) => {
  const all: ModelPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
};

/** The error of a call, with what was read before it. */
const failure = async (parts: AsyncIterable<ModelPart>) => {
  try {
    for await (const part of parts) void part;
  } catch (error) {
    return error;
  }
  throw new Error('the call did not fail');
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('a model call', () => {
  it('streams reasoning, text and calls, and ends with the usage', async () => {
    const { model, call } = await open([
      {
        reasoning: 'hm',
        text: ['Hel', 'lo'],
        calls: [
          { name: 'read_file', arguments: { path: 'a.txt' }, id: 'same' },
          { name: 'read_file', arguments: '{"path":', id: 'same' },
        ],
        usage: { input: 100, output: 20, cached: 60 },
      },
    ]);
    expect(await collect(call())).toEqual([
      { type: 'reasoning', id: 'reasoning-0', text: 'hm' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'tool-start', index: 0, tool: 'read_file' },
      { type: 'tool-start', index: 1, tool: 'read_file' },
      { type: 'tool-call', index: 0, tool: 'read_file', arguments: '{"path":"a.txt"}' },
      { type: 'tool-call', index: 1, tool: 'read_file', arguments: '{"path":' },
      {
        type: 'finish',
        reason: 'tool-calls',
        usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 60 },
      },
    ]);
    expect(model.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  });

  it('has no usage where the provider gives none', async () => {
    const { call } = await open([{ text: 'ok', usage: null }]);
    expect((await collect(call())).at(-1)).toEqual({ type: 'finish', reason: 'stop', usage: null });
  });

  it.each([
    [{ status: 401 }, { kind: 'key' }],
    [{ status: 404 }, { kind: 'model' }],
    [
      { status: 429, headers: { 'retry-after': '7' } },
      { kind: 'rate', retryAfterMs: 7_000 },
    ],
    [{ status: 429, body: { error: { message: 'x', code: 'insufficient_quota' } } }, { kind: 'key' }],
    [{ status: 500 }, { kind: 'overloaded', retryAfterMs: undefined }],
    [
      { status: 529, headers: { 'retry-after-ms': '40' } },
      { kind: 'overloaded', retryAfterMs: 40 },
    ],
    [
      { status: 400, body: { error: { message: 'maximum context length is 8192 tokens' } } },
      { kind: 'context' },
    ],
    [{ status: 400, body: { error: { message: `do not send ${key} here` } } }, { kind: 'request' }],
    [{ status: 400, body: '<html>no</html>' }, { kind: 'request' }],
    [{ text: 'Hel', end: 'cut' }, { kind: 'cut' }],
    [{ text: 'Hel', end: 'no-finish' }, { kind: 'cut' }],
  ] as const)('%j fails as %j, without the key and the prompt', async (turn, expected) => {
    const { call } = await open([turn]);
    const error = await failure(call());
    expect(error).toMatchObject({ name: 'ModelError', ...expected });
    const text = `${String(error)} ${JSON.stringify(error)}`;
    expect(text).not.toContain(key);
    expect(text).not.toContain('the words of the prompt');
  });

  it('says that a server cannot be reached', async () => {
    const { model, call } = await open([]);
    await model.close();
    expect(await failure(call())).toMatchObject({
      kind: 'network',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it.each([
    [
      '1,000 calls',
      { calls: Array.from({ length: 1_000 }, () => ({ name: 'x', arguments: {} })) },
      { kind: 'too-many-calls' },
    ],
    [
      '10 MB of arguments',
      { calls: [{ name: 'x', arguments: 'a'.repeat(10_000_000) }] },
      { kind: 'too-large', message: 'The model wrote more than 4 MiB.' },
    ],
    [
      'a frame of 10 MB',
      { text: 'a'.repeat(10_000_000) },
      { kind: 'too-large', message: 'The model sent more than can be read.' },
    ],
  ] as const)('AG-07 ends at %s, and closes the connection', async (_, turn, expected) => {
    const { model, call } = await open([turn]);
    expect(await failure(call())).toMatchObject(expected);
    await model.requests[0]?.closed;
  });

  it.each([
    ['120 s without a first byte', () => new Promise<never>(() => {}), { parts: 0, ms: 120_000 }],
    ['60 s of silence', [{ text: 'Hel', end: 'silent' }], { parts: 1, ms: 60_000 }],
    [
      '60 s of silence within a tool call',
      [{ calls: [{ name: 'read_file', arguments: { filePath: 'a' } }], end: 'silent' }],
      { parts: 1, ms: 60_000 },
    ],
  ] as const)('RX-14 fails after %s', async (_, script, { parts, ms }) => {
    const clock = createFakeClock();
    const { model, call } = await open(script);
    const stream = call({ clock });
    for (let n = 0; n < parts; n += 1) await stream.next();
    const failed = failure(stream);
    const { closed } = await model.request(1);
    clock.advance(ms - 1);
    expect(clock.waiting()).toBe(2);
    clock.advance(1);
    expect(await failed).toMatchObject({ kind: 'silent' });
    expect(clock.waiting()).toBe(0);
    await closed;
  });

  it('RX-14 fails after 60 s of silence, though the garbage of its request was collected', async () => {
    const clock = createFakeClock();
    const { model, call } = await open([{ text: 'Hel', end: 'silent' }]);
    const stream = call({ clock });
    await stream.next();
    const failed = failure(stream);
    for (let turn = 0; turn < 5; turn += 1) {
      await nextMacrotask();
      collectGarbage();
    }
    clock.advance(60_000);
    expect(await failed).toMatchObject({ kind: 'silent' });
    await model.requests[0]?.closed;
  });

  it('ends after 10 minutes, whatever comes', async () => {
    const clock = createFakeClock();
    const { call } = await open([{ text: 'Hel', end: 'silent' }]);
    const stream = call({ clock });
    await stream.next();
    clock.jump(600_000);
    expect(await failure(stream)).toMatchObject({ kind: 'silent' });
  });

  it.each(['compatible', 'anthropic'] as const)(
    'of %s closes the connection when it is aborted',
    async (provider) => {
      const { model, call } = await open([{ text: 'Hel', end: 'silent' }]);
      const abort = new AbortController();
      const stream = call({ provider, signal: abort.signal });
      await stream.next();
      abort.abort(new Error('a reason of its own'));
      expect(await failure(stream)).toMatchObject({ kind: 'aborted' });
      await model.requests[0]?.closed;

      expect(await failure(call({ provider, signal: abort.signal }))).toMatchObject({ kind: 'aborted' });
      expect(model.requests).toHaveLength(1);
    },
  );

  it('asks OpenAI to keep nothing', async () => {
    const { model, call } = await open([{ status: 500 }]);
    await failure(call({ provider: 'openai' }));
    expect(model.requests[0]).toMatchObject({ path: '/v1/responses', body: { store: false } });
  });

  it('closes the connection when its reader leaves', async () => {
    const { model, call } = await open([{ text: ['Hel', 'lo'], end: 'silent' }]);
    for await (const part of call()) {
      expect(part).toEqual({ type: 'text', text: 'Hel' });
      break;
    }
    await model.requests[0]?.closed;
  });

  it.each(['compatible', 'anthropic', 'openai', 'google'] as const)(
    'US-15 follows no redirect, so that the key of %s goes to no other host',
    async (provider) => {
      const asked: unknown[] = [];
      const other = createServer((incoming, reply) => {
        asked.push(incoming.headers);
        reply.end();
      });
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void other.close());
      const address = other.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const turn = { status: 307, headers: { location: `http://127.0.0.1:${port}/v1/chat/completions` } };
      const { call } = await open(() => turn);
      expect(await failure(call({ provider }))).toMatchObject({
        kind: 'request',
        message: expect.stringContaining('redirect'),
      });
      expect(asked).toEqual([]);
    },
  );

  it('reads the stream of Anthropic, and sends its reasoning back with the signature', async () => {
    const { model, call } = await open([
      { reasoning: 'hm', text: 'Hello', calls: [{ name: 'read_file', arguments: { path: 'a' } }] },
      { text: 'Done' },
    ]);
    const parts = await collect(call({ provider: 'anthropic' }));
    const metadata = { anthropic: { signature: 'signature-of-the-model' } };
    expect(parts).toEqual([
      { type: 'reasoning', id: '0', text: 'hm' },
      { type: 'reasoning', id: '0', text: '', metadata },
      { type: 'text', text: 'Hello' },
      { type: 'tool-start', index: 0, tool: 'read_file' },
      { type: 'tool-call', index: 0, tool: 'read_file', arguments: '{"path":"a"}' },
      { type: 'finish', reason: 'tool-calls', usage: { inputTokens: 10, outputTokens: 5, cachedTokens: 0 } },
    ]);
    const reasoning = { type: 'reasoning', text: 'hm', provider: 'anthropic', metadata } as const;
    const call1 = {
      type: 'tool-call',
      toolCallId: 'tc_1',
      tool: 'read_file',
      arguments: '{"path":"a"}',
    } as const;
    const result = {
      toolCallId: 'tc_1',
      tool: 'read_file',
      parts: [{ type: 'text', text: 'x' }],
      isError: false,
    };
    await collect(
      call({
        provider: 'anthropic',
        messages: [
          ...request.messages,
          { role: 'assistant', parts: [reasoning, { ...reasoning, provider: 'openai' }, call1] },
          { role: 'tool', results: [{ ...result, parts: [{ type: 'text', text: 'x' }] }] },
        ],
      }),
    );
    expect(model.requests[1]?.headers['x-api-key']).toBe(key);
    expect(model.requests[1]?.body.messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'signature-of-the-model' },
          { type: 'tool_use', id: 'tc_1', input: { path: 'a' } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'tc_1', cache_control: { type: 'ephemeral' } }],
      },
    ]);
  });

  it('a stream of Anthropic that ends early is cut', async () => {
    const { call } = await open([{ text: 'Hel', end: 'no-finish' }]);
    expect(await failure(call({ provider: 'anthropic' }))).toMatchObject({ kind: 'cut' });
  });
});
