import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tokenScopeNames } from '@drawbridge/contracts/tokens';
import { systemClock } from '@drawbridge/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createProcesses,
  startMachine,
  until,
  type Daemon,
  type Person,
  type Server,
} from '../harness/index.ts';
import { agentOf, use, type Reply } from './accept-http.ts';
import { byCase, type Step } from './crash-script.ts';
import { startScriptedModel, type ScriptedModel, type Turn } from './scripted-model.ts';
import { threadOf } from './thread.ts';

const once =
  (turn: Turn) =>
  ({ results }: Step): Turn =>
    results.length === 0 ? turn : { text: 'Done.' };
/** The process that must go has its number in a file. */
const sleeper = (name: string) =>
  once(use('shell_execute', { command: `echo $$ > ${name}.pid; exec sleep 60` }));
const question = { id: 'color', question: 'Which color?', type: 'single', options: ['red', 'blue'] };
const asking = once(use('ask-user', { questions: [question] }));
const writing = (filePath: string) => once(use('write_file', { filePath, content: 'text' }));
const helper = { role: 'helper', instructions: 'case:task', tools: ['shell_execute'], background: true };
const gated = { name: 'shell_execute', arguments: { command: 'while [ ! -e go ]; do sleep 0.05; done' } };
const skipped = { name: 'write_file', arguments: { filePath: 'skipped.txt', content: 'text' } };

/** Three events a call: the call, the list and the result. */
const lists = ({ count: step }: Step): Turn => ({
  calls: Array.from({ length: 32 }, (_, at) => ({
    name: 'update-tasks',
    arguments: { tasks: [{ id: '1', description: `${step}.${at}`, status: 'todo' }] },
  })),
});

const { script, count } = byCase({
  long: (step) => (step.count <= 7 ? lists(step) : { text: 'Done.' }),
  reading: once({ text: 'I read it.', ...use('read_file', { filePath: 'a.txt' }) }),
  busy: once({ calls: [gated, skipped] }),
  thinking: () => ({ text: 'I am think', end: 'silent' }),
  acting: sleeper('acting'),
  waiting: asking,
  confirming: writing('confirming.txt'),
  retrying: () => ({ status: 503, headers: { 'retry-after': '60' } }),
  background: once(use('delegate', helper)),
  task: sleeper('task'),
  card: writing('card.txt'),
  form: asking,
  guarded: asking,
  later: asking,
  laterCard: writing('later.txt'),
});

const chosen = (color: string) => ({
  kind: 'questions',
  answers: [{ questionId: 'color', selectedOptions: [color] }],
});
const decided = (resourceDecision: string) => ({ kind: 'resourceDecision', resourceDecision });

describe('a run, from outside', () => {
  const processes = createProcesses();
  let model: ScriptedModel;
  let server: Server;
  let ann: Person;
  let daemon: Daemon;

  const agent = () => agentOf(ann);
  const thread = (id: string) => threadOf(ann, id);
  const say = (id: string) => thread(id).say(`case:${id}`);
  const file = (name: string) => join(daemon.root, name);
  const isThere = (name: string) => existsSync(file(name));
  const askOf = (id: string) => until(async () => (await thread(id).asks())[0]?.requestId);

  beforeAll(async () => {
    model = await startScriptedModel(script);
    ({ server, ann, daemon } = await startMachine(processes, {
      env: { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url, AGENT_MAX_RUNS_PER_USER: '20' },
      flags: ['--permission-shell', 'allow', '--dangerously-disable-shell-sandbox'],
    }));
  });
  afterAll(async () => {
    await processes.stopAll();
    await model.close();
  });

  it('acceptance 2: a file is read in numbered events, and the call is in Activity with its thread', async () => {
    writeFileSync(file('a.txt'), 'hello from the machine');
    await say('reading');
    await thread('reading').until('run-finish');
    const events = await thread('reading').events();
    expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1));
    const types = events.map(({ event }) => event.type);
    expect(types.filter((type) => type !== 'thread-title-updated')).toEqual([
      ...['run-start', 'user-message', 'agent-spawned', 'text-block', 'tool-call', 'tool-result'],
      ...['text-block', 'agent-completed', 'run-finish'],
    ]);
    const asked = model.requests.filter(({ tools }) => tools.length > 0);
    expect(asked.map(({ text }) => text.includes('hello from the machine'))).toEqual([false, true]);
    const { calls } = await ann.api.calls.list.query({ limit: 2 });
    const via = { kind: 'thread', id: 'reading', name: 'case:reading' };
    expect(calls).toMatchObject([{ tool: 'read_file', door: 'agent', state: 'succeeded', via }]);
  });

  it('acceptance 4: after 600 events the first number gives a reset, with the number to go on from', async () => {
    await say('long');
    await until(async () => (await thread('long').now()).status === 'idle');
    const { found } = await agent().listen('long', 'run-sync', { query: '?lastEventId=1' });
    const got = await found;
    expect(got.match(/^(event|id):.*$/gm)?.[0]).toMatch(/^event: ?reset$/);
    const next = Number(/"nextEventId":(\d+)/.exec(got)?.[1]);
    expect(next).toBeGreaterThan(600);
    const ids = (await thread('long').events(next - 3)).map(({ id }) => id);
    expect(ids.slice(0, 2)).toEqual([next - 2, next - 1]);
  });

  it('acceptance 4: Last-Event-ID and ?lastEventId give the same events, and the header wins', async () => {
    const idsWith = async (after: { query?: string; headers?: Record<string, string> }) => {
      const { found } = await agent().listen('reading', 'run-sync', after);
      return [...(await found).matchAll(/^id: ?(\d+)$/gm)].map(([, id]) => Number(id));
    };
    const behind = (await thread('reading').events(4)).map(({ id }) => id);
    expect(behind[0]).toBe(5);
    const headers = { 'last-event-id': '4' };
    expect(await idsWith({ query: '?lastEventId=4' })).toEqual(behind);
    expect(await idsWith({ headers })).toEqual(behind);
    expect(await idsWith({ query: '?lastEventId=1', headers })).toEqual(behind);
  });

  it('acceptance 5: a second message is refused, queued, or steered into the same run', async () => {
    const runId = await say('busy');
    await thread('busy').until('tool-call');
    const send = (message: string, mode?: string) => agent().post('/chat/busy', { message, mode });
    expect(await send('refused')).toMatchObject({ status: 409, body: { code: 'RUN_ACTIVE' } });
    const queued = await send('the queued message', 'queue');
    expect(queued).toMatchObject({ status: 200, body: { queuedId: expect.any(String) } });
    expect(await send('rather this', 'steer')).toEqual({ status: 200, body: { runId } });
    writeFileSync(file('go'), '');
    await until(async () => (await thread('busy').of('run-finish')).length === 2);
    const events = (await thread('busy').events()).map(({ event }) => event);
    const ends = events.flatMap((event) =>
      event.type === 'tool-result' || event.type === 'tool-error' ? [event.payload.outcome] : [],
    );
    expect(ends.toSorted()).toEqual(['ok', 'skipped']);
    expect(isThere('skipped.txt')).toBe(false);
    const said = events.flatMap((event) => (event.type === 'user-message' ? [event] : []));
    expect(said.map(({ payload: { source } }) => source)).toEqual(['sent', 'steered', 'queued']);
    expect(said.map((event) => event.runId === runId)).toEqual([true, true, false]);
    const requests = model.requests
      .filter(({ tools, text }) => tools.length > 0 && text.includes('case:busy'))
      .map(({ text }) => text);
    expect(requests.map((text) => text.includes('rather this'))).toEqual([false, true, true]);
    expect(requests.map((text) => text.includes('the queued message'))).toEqual([false, false, true]);
  });

  describe('acceptance 6: AG-10 CF-10 Stop', () => {
    const isGone = (pid: number) => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    };
    /** The file is there before the number is in it. */
    const pidOf = (name: string) =>
      until(
        async () => isThere(`${name}.pid`) && /^\d+(?=\n)/.exec(readFileSync(file(`${name}.pid`), 'utf8')),
      ).then(([pid]) => Number(pid));
    /** Stops a thread; all of it ends cancelled within 2 s, and a second time nothing follows. */
    const stop = async (id: string, type: 'run-finish' | 'agent-completed' = 'run-finish') => {
      const askedAt = systemClock.now();
      const cancel = () => agent().post(`/chat/${id}/cancel`);
      expect(await cancel()).toEqual({ status: 200, body: { ok: true } });
      const end = (await thread(id).of(type)).at(-1);
      expect(end?.payload.status).toBe('cancelled');
      expect((end?.ts ?? Infinity) - askedAt).toBeLessThan(2_000);
      expect((await thread(id).now()).status).toBe('idle');
      const { length } = await thread(id).events();
      expect(await cancel()).toEqual({ status: 200, body: { ok: true } });
      expect((await thread(id).events()).length).toBe(length);
    };
    const requestTo = (name: string) => until(async () => count(name) > 0);

    it('while the model thinks: its request is closed', async () => {
      await say('thinking');
      await requestTo('thinking');
      const request = model.requests.at(-1);
      await stop('thinking');
      await request?.closed;
    });
    it('while a command runs on the machine: its process is gone', async () => {
      await say('acting');
      const pid = await pidOf('acting');
      await stop('acting');
      await until(async () => isGone(pid));
    });
    it.each([
      ['the agent asks', 'waiting', chosen('red')],
      ['the machine asks', 'confirming', decided('allowOnce')],
    ])('while %s: the question is withdrawn, and a later answer does nothing', async (_, id, answer) => {
      await say(id);
      const asked = await askOf(id);
      await stop(id);
      const closed = (await thread(id).of('confirmation-closed')).map(({ payload }) => payload);
      expect(closed).toEqual([{ requestId: asked, outcome: 'withdrawn' }]);
      await until(async () => (await ann.api.confirmations.list.query()).length === 0);
      expect(await agent().post(`/confirm/${asked}`, answer)).toMatchObject({ status: 410 });
      expect([await thread(id).asks(), isThere('confirming.txt')]).toEqual([[], false]);
    });
    it('while it waits to try again: it does not', async () => {
      await agent().post('/threads', { id: 'retrying' });
      const { found } = await agent().listen('retrying', 'next try in');
      await say('retrying');
      await found;
      await stop('retrying');
      expect(count('retrying')).toBe(1);
    });
    it('while a background task works: it ends, with its process', async () => {
      await say('background');
      const pid = await pidOf('task');
      await until(async () => (await thread('background').now()).status === 'background');
      await stop('background', 'agent-completed');
      await until(async () => isGone(pid));
    });
  });

  describe('acceptance 8: an answer', () => {
    const both = (asked: string, answers: object[]) =>
      Promise.all(answers.map((answer) => agent().post(`/confirm/${asked}`, answer)));
    /** Of two answers one counts, and the other one is told which. */
    const expectOne = (replies: Reply[], words: string[]) => {
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const winner = words[replies.findIndex(({ status }) => status === 200)];
      expect(replies.find(({ status }) => status === 409)?.body).toMatchObject({
        code: 'ALREADY_DECIDED',
        message: expect.stringContaining(`: ${winner}`),
      });
    };
    const colors = ['red', 'blue'];
    const decisions = ['allowOnce', 'denyOnce'];
    const answerBoth = async (form: string, card: string) => {
      expectOne(await both(await askOf(form), colors.map(chosen)), colors);
      expectOne(await both(await askOf(card), decisions.map(decided)), decisions);
      for (const id of [form, card])
        expect((await thread(id).until('run-finish')).payload.status).toBe('completed');
    };

    it('CF-06 counts once: of two at the same time the other one is told which', async () => {
      await Promise.all([say('form'), say('card')]);
      await answerBoth('form', 'card');
    });
    it('CF-08 of another person finds nothing, and no token may give one', async () => {
      await Promise.all([say('guarded'), say('later'), say('laterCard')]);
      const asked = await askOf('guarded');
      const ben = await server.invite(ann);
      expect(await agentOf(ben).post(`/confirm/${asked}`, chosen('red'))).toMatchObject({ status: 404 });
      const card = await askOf('laterCard');
      expect(await agentOf(ben).post(`/confirm/${card}`, decided('allowOnce'))).toMatchObject({
        status: 404,
      });
      for (const scopes of [...tokenScopeNames.map((name) => [name]), [...tokenScopeNames]]) {
        const { token } = await ann.api.tokens.create.mutate({ name: scopes.join(' ').slice(0, 60), scopes });
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const body = JSON.stringify(chosen('red'));
        for (const base of ['/api/v1/instance-ai', '/rest/instance-ai']) {
          const reply = await fetch(`${server.url}${base}/confirm/${asked}`, {
            method: 'POST',
            headers,
            body,
          });
          expect([scopes, [401, 403].includes(reply.status)]).toEqual([scopes, true]);
        }
      }
      expect((await thread('guarded').now()).status).toBe('suspended');
    });
    it('CF-11 counts once also after a crash of the server', async () => {
      await askOf('later');
      await server.end('SIGKILL');
      await server.restart();
      await daemon.process.says(/connected[^]*connected /);
      await answerBoth('later', 'laterCard');
    });
  });
});
