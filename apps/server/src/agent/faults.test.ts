import { createDeferred } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { requestsOf, story, textOf, use } from '../../test/agent-turns.ts';
import { nextCall, withAgent, withMachine } from '../../test/agent.ts';
import { connectDaemon } from '../../test/daemon.ts';
import { startServer } from '../../test/server.ts';

const raw = (name: string, text: string) => ({ calls: [{ name, arguments: text }] });
const done = { text: 'Done.' };

describe('what fails at the model', () => {
  it.each([
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '0' } }],
    ['500', { status: 500, headers: { 'retry-after': '0' } }],
    [
      'the prompt is too long',
      { status: 400, body: { error: { message: 'maximum context length exceeded' } } },
    ],
  ])('is tried again: %s', async (_, failed) => {
    const { say, until, model } = await withAgent(story([failed, done]));
    await say('go');
    expect((await until('run-finish')).payload.status).toBe('completed');
    expect(requestsOf(model.requests)).toHaveLength(2);
  });

  it('is tried again after a cut, without what came before it', async () => {
    const { say, until, snapshot } = await withAgent(story([{ text: 'Half', end: 'cut' }, done]));
    await say('go');
    await until('run-finish');
    const entries = Object.values((await snapshot()).view.agents)[0]?.entries;
    expect(entries).toMatchObject([{ type: 'text', text: 'Done.' }]);
  });

  it.each([
    ['a refused key', { status: 401 }, 'MODEL_REFUSED'],
    ['an unknown model', { status: 404 }, 'MODEL_REFUSED'],
    [
      '1,000 calls',
      { calls: Array.from({ length: 1_000 }, () => ({ name: 'x', arguments: {} })) },
      'MODEL_REFUSED',
    ],
    ['arguments of 10 MB', raw('x', `"${'x'.repeat(10_000_000)}"`), 'MODEL_REFUSED'],
  ])('ends the run with a sentence: %s', async (_, turn, code) => {
    const { say, until, snapshot, types } = await withAgent(story([turn]));
    await say('go');
    const error = await until('error');
    expect(error.payload).toMatchObject({ code, retryable: false });
    expect(error.payload.content).toMatch(/^[A-Z].{10,200}\.$/);
    expect((await until('run-finish')).payload).toMatchObject({
      status: 'error',
      reason: error.payload.content,
    });
    expect((await snapshot()).now.status).toBe('idle');
    expect((await types()).filter((type) => type === 'error')).toHaveLength(1);
  });

  it('ends the run after three more tries', async () => {
    const { say, until, model } = await withAgent(
      story(() => ({ status: 503, headers: { 'retry-after': '0' } })),
    );
    await say('go');
    expect((await until('error')).payload).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true });
    expect(requestsOf(model.requests)).toHaveLength(4);
  });
});

describe('what the model gets wrong', () => {
  it.each([
    ['no JSON', raw('update-tasks', '{"tasks": ['), 'not valid JSON'],
    ['another schema', use('update-tasks', { list: [] }), 'tasks'],
    ['no object', use('read_file', [1]), 'not a JSON object'],
    ['__proto__ as arguments', raw('read_file', '{"__proto__": {"x": 1}}'), 'not valid JSON'],
    ['an unknown tool', use('rm'), 'There is no tool rm'],
    ['__proto__ as a tool', use('__proto__'), 'There is no tool __proto__'],
    ['constructor as a tool', use('constructor'), 'There is no tool constructor'],
  ])('ends the call with a text, and the run goes on: %s', async (_, turn, text) => {
    const { say, until, model } = await withMachine(story([turn, done]));
    await say('go');
    expect((await until('tool-error')).payload.error).toContain(text);
    expect((await until('run-finish')).payload.status).toBe('completed');
    expect(textOf(requestsOf(model.requests)[1]!).includes(text)).toBe(true);
  });

  it('is refused the third time that it fails alike', async () => {
    const bad = use('read-result', { id: 'tc_none' });
    const { say, until, model } = await withAgent(story([bad, bad, use('rm'), bad]));
    await say('go');
    await until('run-finish');
    expect(textOf(requestsOf(model.requests).at(-1)!)).toContain('has failed twice in the same way');
  });

  it('is no answer at all', async () => {
    const { say, until } = await withAgent(story([{}]));
    await say('go');
    expect((await until('text-block')).payload.text).toBe('(no answer)');
    expect((await until('run-finish')).payload.status).toBe('completed');
  });

  it('is no count of tokens: they are estimated, and marked so', async () => {
    const { say, until } = await withAgent(story([{ text: 'Done.', usage: null }]));
    await say('go');
    const { usage } = (await until('run-finish')).payload;
    expect(usage).toMatchObject({ estimated: true });
    expect(usage.inputTokens).toBeGreaterThan(100);
  });
});

it('does not run a tool that was not offered when the model called it', async () => {
  const pairs = createDeferred();
  const turn = { ...use('read_file', { path: 'a' }), until: pairs.promise };
  const { say, until, model, server, token } = await withAgent(story([turn, done]));
  await say('go');
  await model.request(1);
  await connectDaemon(server, token);
  pairs.resolve();
  expect((await until('tool-error')).payload.error).toContain('There is no tool read_file');
  expect((await until('run-finish')).payload.status).toBe('completed');
});

describe('large things', () => {
  it.each([
    ['an answer', { text: 'é'.repeat(100_000) }],
    ['arguments', raw('update-tasks', JSON.stringify({ tasks: '\u0001'.repeat(40_000) }))],
    [
      'a plan',
      use('plan', {
        title: 'p',
        tasks: Array.from({ length: 20 }, (_, n) => ({
          id: `t${n}`,
          title: 't',
          kind: 'delegate',
          spec: '漢'.repeat(4_000),
        })),
      }),
    ],
  ])('are stored: %s', async (_, turn) => {
    const { say, until } = await withAgent(story([turn]));
    await say('go');
    expect((await until('run-finish')).payload.status).toBe('completed');
  });

  it('such as a message of the person are sent whole', async () => {
    const { say, until, model } = await withAgent(story([done]), { AGENT_CONTEXT_TOKENS: '200000' });
    const message = '漢'.repeat(32_000);
    await say(message);
    await until('run-finish');
    expect(textOf(requestsOf(model.requests)[0]!).includes(message)).toBe(true);
  });
});

describe('a picture of the machine', () => {
  it('reaches the model as a picture', async () => {
    const { say, until, daemon, model } = await withMachine(
      story([use('read_file', { path: 'a.png' }), done]),
    );
    await say('look');
    const call = await nextCall(daemon);
    const data = 'iVBORw0KGgo=';
    await daemon.respond(call.requestId, {
      result: { content: [{ type: 'image', data, mimeType: 'image/png' }] },
    });
    await until('run-finish');
    const { messages } = requestsOf(model.requests)[1]!.body;
    const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    expect(parts).toContainEqual({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } });
    const texts = messages.flatMap(({ content }) => (typeof content === 'string' ? [content] : []));
    expect(texts.filter((text) => text.includes(data))).toEqual([]);
  });
});

it('an orderly restart of the server is no crash', async () => {
  const { server, model, userId, say } = await withAgent(() => ({ text: 'Thinking', end: 'silent' }));
  await say('go');
  await model.request(1);
  let { app } = server;
  for (const number of [2, 3, 4, 5]) {
    await app.close();
    const environment = { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url };
    ({ app } = await startServer({ dataDir: server.dataDir, environment }));
    await model.request(number);
  }
  expect(await app.agent?.threads.get(userId, 'thread')).toMatchObject({ status: 'active' });
});
