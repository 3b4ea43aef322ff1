import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { requestsOf, story, textOf, use } from '../../test/agent-turns.ts';
import { nextCall, resultOf, threadOf, withAgent, withMachine } from '../../test/agent.ts';
import { connectDaemon } from '../../test/daemon.ts';
import { startServer } from '../../test/server.ts';

const raw = (name: string, text: string) => ({ calls: [{ name, arguments: text }] });
const done = { text: 'Done.' };

describe('what fails at the model', () => {
  it.each([
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

  it.each([
    ['a refused key', { status: 401 }, 'MODEL_REFUSED'],
    ['an unknown model', { status: 404 }, 'MODEL_REFUSED'],
  ])('AG-07 ends the run with a sentence: %s', async (_, turn, code) => {
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
    ['no object', use('read_file', [1]), 'not a JSON object'],
    ['constructor as a tool', use('constructor'), 'There is no tool constructor'],
  ])('AG-07 ends the call with a text, and the run continues: %s', async (_, turn, text) => {
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
});

it('does not run a tool that was not offered when the model called it', async () => {
  const pairs = Promise.withResolvers<void>();
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

const crashesIn = (dataDir: string): unknown[] => {
  const database = new Database(join(dataDir, 'drawbridge.db'));
  const rows = database.prepare('select crashes from agentRuns').all() as { crashes: number }[];
  database.close();
  return rows.map(({ crashes }) => crashes);
};

it('an orderly restart of the server is no crash', async () => {
  const { server, model, userId, say } = await withAgent(() => ({ text: 'Thinking', end: 'silent' }));
  await say('go');
  await model.request(1);
  let { app } = server;
  for (const number of [2, 3, 4, 5]) {
    await app.close();
    expect(crashesIn(server.dataDir)).toEqual([0]);
    const environment = { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url };
    ({ app } = await startServer({ dataDir: server.dataDir, environment }));
    await model.request(number);
  }
  expect(await app.agent?.threads.get(userId, 'thread')).toMatchObject({ status: 'active' });
});

it('AG-09 the record of a call keeps a secret that the model does not see', async () => {
  const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
  const { say, until, daemon, panel, model } = await withMachine(
    story([use('read_file', { path: 'a' }), done]),
  );
  await say('read');
  const { requestId } = await nextCall(daemon);
  await daemon.respond(requestId, resultOf(`The key is ${secret}.`));
  await until('run-finish');
  const last = requestsOf(model.requests)[1]!;
  expect([textOf(last).includes('The key is'), last.text.includes(secret)]).toEqual([true, false]);
  expect(JSON.stringify((await panel.calls.get.query({ requestId })).result)).toContain(secret);
});

it('PS-10 PS-11 a run whose rows are of another version ends; the server starts, and its other runs work', async () => {
  const which = use('ask-user', { questions: [{ id: 'q', question: 'Which?', type: 'text' }] });
  const { server, model, agent, userId } = await withAgent(story(() => which));
  const first = threadOf(agent, userId, 'first');
  const second = threadOf(agent, userId, 'second');
  await Promise.all([first.say('go'), second.say('go')]);
  const asked = [await first.until('confirmation-request'), await second.until('confirmation-request')];
  await server.app.close();
  const database = new Database(join(server.dataDir, 'drawbridge.db'));
  database.exec(`update agentMessages set v = 2 where threadId = 'first'`);
  database.close();
  const environment = { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url };
  const { app } = await startServer({ dataDir: server.dataDir, environment });
  if (!app.agent) throw new Error('the agent is on');
  for (const { payload } of asked)
    await app.agent.confirm(userId, payload.requestId, { kind: 'questions', answers: [] });
  const restarted = app.agent;
  const finished = await threadOf(restarted, userId, 'first').until('run-finish');
  expect(finished.payload.status).toBe('error');
  const isAskedAgain = ({ payload }: { payload: { requestId: string } }) =>
    payload.requestId !== asked[1]?.payload.requestId;
  await threadOf(restarted, userId, 'second').until('confirmation-request', isAskedAgain);
});
