import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createProcesses,
  startMachine,
  until,
  type Daemon,
  type Person,
  type Server,
} from '../harness/index.ts';
import { openRows } from './crash-rows.ts';
import { byCase, unpaired, type Step } from './crash-script.ts';
import { startMcpStandIn, type McpStandIn } from './mcp-stand-in.ts';
import { startScriptedModel, type ScriptedModel, type Turn } from './scripted-model.ts';
import { threadOf, type Thread } from './thread.ts';

const call = (name: string, args: object): Turn => ({ calls: [{ name, arguments: args }] });

/** Counts its runs in a file of its name, and ends when `go` lets it. */
const command = (name: string) =>
  `echo run >> ${name}; while [ ! -e ${name}.go ]; do sleep 0.05; done; echo out of ${name}`;
const shell = ({ name, results }: Step): Turn =>
  results.length === 0 ? call('shell_execute', { command: command(name) }) : { text: 'Done.' };
const once =
  (turn: Turn) =>
  ({ results }: Step): Turn =>
    results.length === 0 ? turn : { text: 'Done.' };
const silent: Turn = { text: 'I am think', end: 'silent' };
const task = (id: string, deps: string[]) => {
  const rest = { title: id, kind: 'delegate', spec: `case:${id}`, tools: ['shell_execute'] };
  return { id, deps, ...rest };
};
const question = { id: 'color', question: 'Which color?', type: 'single', options: ['red', 'blue'] };
const child = { role: 'child', instructions: 'case:child', tools: ['shell_execute'] };
const helper = { role: 'helper', instructions: 'case:task', tools: ['shell_execute'], background: true };
const letter = { filePath: 'letter.txt', content: 'dear reader' };

const { script, count } = byCase({
  thinks: (step) => (step.count === 1 ? silent : { text: 'Thought.' }),
  stubborn: () => silent,
  away: () => silent,
  halting: () => silent,
  acts: shell,
  stopped: shell,
  queues: (step) => (step.count === 1 ? silent : { text: 'Done.' }),
  task: shell,
  first: shell,
  second: shell,
  child: () => silent,
  idle: () => silent,
  drops: once(call('plan', { title: 'One', tasks: [task('idle', [])] })),
  withdrawn: once(call('write_file', { ...letter, filePath: 'withdrawn.txt' })),
  parent: once(call('delegate', child)),
  background: once(call('delegate', helper)),
  plans: once(call('plan', { title: 'Two', tasks: [task('first', []), task('second', ['first'])] })),
  confirms: once(call('write_file', letter)),
  asks: once(call('ask-user', { questions: [question] })),
  waits: once(call('ask-user', { questions: [question] })),
  broken: once(call('ask-user', { questions: [question] })),
  rings: once(call('mcp__bell__ring', {})),
});

const names = [
  ...['thinks', 'stubborn', 'away', 'halting', 'acts', 'stopped', 'queues'],
  ...['background', 'parent', 'drops', 'plans', 'confirms', 'asks', 'waits', 'broken', 'rings'],
] as const;
type Name = (typeof names)[number];

describe('the server is killed', () => {
  const processes = createProcesses();
  let model: ScriptedModel;
  let bell: McpStandIn;
  let server: Server;
  let ann: Person;
  let daemon: Daemon;
  let threads: Record<Name, Thread>;

  const file = (name: string) => join(daemon.root, name);
  const isThere = (name: string) => existsSync(file(name));
  const runs = async (name: string) => until(async () => isThere(name));
  const go = (name: string) => writeFileSync(file(`${name}.go`), '');
  const effects = (name: string) => readFileSync(file(name), 'utf8');
  const say = (name: Name) => threads[name].say(`case:${name}`);
  const askOf = async (name: Name) => {
    await until(async () => (await threads[name].asks()).length === 1);
    const [ask] = await threads[name].asks();
    return ask?.requestId ?? '';
  };
  const approved = { kind: 'approval', approved: true };
  const blue = { kind: 'questions', answers: [{ questionId: 'color', selectedOptions: ['blue'] }] };
  const allowed = { approved: true, resourceDecision: 'allowOnce' };
  const statusOf = async (name: Name) => (await threads[name].until('run-finish')).payload.status;
  const suspended = (name: Name) => until(async () => (await threads[name].now()).status === 'suspended');

  const planHalfDone = async () => {
    await say('plans');
    await threads.plans.answer(await askOf('plans'), approved);
    await runs('first');
    go('first');
    await runs('second');
  };

  /** Kills the server, changes what it has stored, and starts it again. */
  const crash = async (...changes: string[]) => {
    await server.end('SIGKILL');
    const rows = openRows(server.dataDir);
    expect(rows.wrong()).toEqual([]);
    changes.forEach(rows.change);
    rows.close();
    await server.restart();
  };
  const earlier = (name: Name, minutes: number) =>
    `update agentAgents set lastActiveAt = lastActiveAt - ${minutes * 60_000} where threadId = '${name}'`;

  beforeAll(async () => {
    model = await startScriptedModel(script);
    bell = await startMcpStandIn();
    ({ server, ann, daemon } = await startMachine(processes, {
      env: {
        AGENT_MODEL: 'stub',
        AGENT_MODEL_URL: model.url,
        AGENT_MCP_SERVERS: `bell=${bell.url}`,
        AGENT_MAX_RUNS_PER_USER: '20',
      },
      flags: ['--permission-shell', 'allow', '--dangerously-disable-shell-sandbox'],
    }));
    const all = names.map((name) => [name, threadOf(ann, name)]);
    threads = Object.fromEntries(all) as Record<Name, Thread>;
  });

  afterAll(async () => {
    await processes.stopAll();
    await model.close();
    await bell.close();
  });

  it('in every state of a run', async () => {
    await Promise.all(names.filter((name) => name !== 'plans').map(say));
    await threads.rings.answer(await askOf('rings'), approved);
    await threads.drops.answer(await askOf('drops'), approved);
    // The machine runs two commands at once: the third one begins when one was stopped.
    await until(async () => ['acts', 'stopped', 'task'].filter(isThere).length === 2);
    await threads.stopped.cancel();
    await Promise.all(['acts', 'task'].map(runs));
    await Promise.all((['confirms', 'asks', 'waits', 'broken'] as const).map(suspended));
    await until(async () =>
      ['thinks', 'stubborn', 'away', 'halting', 'queues', 'child', 'idle'].every((name) => count(name) === 1),
    );
    await bell.rung;
    await threads.queues.say('case:queued', 'queue');
    await crash(earlier('away', 20), earlier('waits', 60));
  });
  it('while the model thinks: the step is thought again', async () => {
    expect([await statusOf('thinks'), count('thinks')]).toEqual(['completed', 2]);
    expect((await threads.thinks.of('text-block')).map(({ payload }) => payload.text)).toEqual(['Thought.']);
  });
  it('while a call runs on the machine: its one result arrives', async () => {
    go('acts');
    expect([await statusOf('acts'), effects('acts')]).toEqual(['completed', 'run\n']);
    const [result] = await threads.acts.of('tool-result');
    expect(result?.payload.result).toContain('out of acts');
  });
  it('while a tool outside runs: the call is lost, and not repeated', async () => {
    expect([await statusOf('rings'), bell.rings()]).toEqual(['completed', 1]);
    expect((await threads.rings.of('tool-interrupted')).map(({ payload }) => payload.outcome)).toEqual([
      'lost',
    ]);
  });
  it('with a background task: it ends, and a run tells of it', async () => {
    go('task');
    await until(async () => (await threads.background.of('run-finish')).length === 2);
    expect((await threads.background.of('run-start')).map(({ payload }) => payload.kind)).toEqual([
      'message',
      'follow-up',
    ]);
    expect(effects('task')).toBe('run\n');
  });
  it('with a queued message: it runs after the open run', async () => {
    await until(async () => (await threads.queues.of('run-finish')).length === 2);
    expect([count('queues'), count('queued')]).toEqual([2, 1]);
  });
  it('after a long absence: what worked is interrupted, what waits for the person waits on', async () => {
    expect(await statusOf('away')).toBe('interrupted');
    expect((await threads.waits.now()).status).toBe('suspended');
    expect(await threads.waits.answer(await askOf('waits'), blue)).toBe(200);
    expect(await statusOf('waits')).toBe('completed');
  });
  it('just after the answers: they count once', async () => {
    await planHalfDone();
    const asked = await askOf('asks');
    const confirmed = await askOf('confirms');
    const answered = [threads.asks.answer(asked, blue), threads.confirms.answer(confirmed, allowed)];
    expect(await Promise.all(answered)).toEqual([200, 200]);
    await crash();
    expect([await statusOf('asks'), await statusOf('confirms')]).toEqual(['completed', 'completed']);
    expect((await threads.asks.of('tool-result'))[0]?.payload.result).toContain('blue');
    expect(effects('letter.txt')).toBe('dear reader');
    const again = [threads.asks.answer(asked, blue), threads.confirms.answer(confirmed, allowed)];
    expect(await Promise.all(again)).toEqual([409, 409]);
  });
  it('with a plan half done: the rest of it runs', async () => {
    go('second');
    await until(async () => (await threads.plans.of('run-finish')).length === 2);
    const plan = (await threads.plans.of('tasks-update')).at(-1)?.payload.plan;
    expect(plan?.items.map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
    expect([effects('first'), effects('second')]).toEqual(['run\n', 'run\n']);
  });
  it('for the third time in a run: it is interrupted, with its sub-agents', async () => {
    const thinking = ['stubborn', 'halting', 'child', 'idle'];
    await until(async () => thinking.every((name) => count(name) === 3));
    await threadOf(ann, 'withdrawn').say('case:withdrawn');
    await until(async () => (await threadOf(ann, 'withdrawn').now()).status === 'suspended');
    await crash(
      `update agentRuns set stopAskedAt = startedAt where threadId = 'halting'`,
      `update agentPlans set state = 'cancelled' where threadId = 'drops'`,
      `update agentAgents set steps = 'many' where threadId = 'broken'`,
      `update agentToolCalls set state = 'ended', outcome = 'stopped', result = '[]', endedAt = startedAt
        where threadId = 'withdrawn'`,
      `update agentAgents set state = 'ended', outcome = 'cancelled' where threadId = 'withdrawn'`,
      `update agentRuns set state = 'cancelled' where threadId = 'withdrawn'`,
    );
    expect([await statusOf('stubborn'), await statusOf('parent')]).toEqual(['interrupted', 'interrupted']);
    expect([...thinking.map(count), count('parent')]).toEqual([3, 3, 3, 3, 1]);
  });
  it('while it stops a run, a plan or a question: they are cancelled', async () => {
    expect(await statusOf('halting')).toBe('cancelled');
    await until(async () => (await threads.drops.now()).status === 'idle');
    expect((await threads.drops.of('agent-completed')).map(({ payload }) => payload.status)).toEqual([
      'completed',
      'cancelled',
    ]);
    const withdrawn = threadOf(ann, 'withdrawn');
    const [asked] = await withdrawn.of('confirmation-request');
    expect(await withdrawn.answer(asked?.payload.requestId ?? '', allowed)).toBeGreaterThanOrEqual(400);
    expect(isThere('withdrawn.txt')).toBe(false);
  });
  it('with a row that cannot be read afterwards: its run ends', async () => {
    expect(await statusOf('broken')).toBe('error');
  });
  it('and nothing is doubled, left open or started again', async () => {
    for (const thread of Object.values(threads)) {
      const events = await thread.events();
      expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1));
      const started = events
        .filter(({ event }) => event.type === 'run-start')
        .map(({ event }) => event.runId);
      const ended = events.filter(({ event }) => event.type === 'run-finish').map(({ event }) => event.runId);
      expect([thread.id, ended]).toEqual([thread.id, started]);
      expect((await thread.now()).status).toBe('idle');
    }
    expect([await statusOf('stopped'), count('stopped')]).toEqual(['cancelled', 1]);
    expect(model.requests.flatMap(unpaired)).toEqual([]);
  });
});
