import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep, systemClock } from '@drawbridge/kit';
import { afterAll, expect, it } from 'vitest';
import { createRandom } from '../harness/random.ts';
import { connectDaemon, createProcesses, startServer, until, type Person } from '../harness/index.ts';
import { openRows } from './crash-rows.ts';
import { unpaired } from './crash-script.ts';
import { startScriptedModel, type ScriptedRequest, type Turn } from './scripted-model.ts';
import { threadOf, type NumberedEvent, type Thread } from './thread.ts';

/** How often the server is killed, while people work. */
const deaths = 3;
const seed = 20;
const threadsEach = 2;
const random = createRandom(seed);
const processes = createProcesses();
afterAll(() => processes.stopAll());

const pause = (least: number, most: number) => sleep(systemClock, random.whole(least, most));
const canaries = ['canary-of-ann', 'canary-of-ben'] as const;
type Canary = (typeof canaries)[number];
const canariesIn = (text: string) => canaries.filter((canary) => text.includes(canary));

let marks = 0;
/** A command whose effect can be counted. */
const shell = () => ({
  name: 'shell_execute',
  arguments: { command: `echo mark-${++marks}- >> marks; sleep 0.${random.whole(0, 9)}` },
});
const write = () => ({ name: 'write_file', arguments: { filePath: `letter-${++marks}`, content: 'text' } });
const question = { id: 'a', question: 'Which?', type: 'single', options: ['red', 'blue'] };
const ask = () => ({ name: 'ask-user', arguments: { questions: [question] } });
const delegate = (canary: Canary) => ({
  name: 'delegate',
  arguments: {
    role: 'helper',
    instructions: `Work. ${canary}`,
    tools: ['shell_execute', 'write_file'],
    background: random.chance(0.4),
  },
});

/** One to three steps with calls, then a text. */
const turnOf = ({ body, tools, text }: ScriptedRequest): Turn => {
  const delayMs = random.whole(0, 800);
  const canary = canariesIn(text)[0] ?? canaries[0];
  const lastUser = body.messages.findLastIndex(({ role }) => role === 'user');
  const steps = body.messages.slice(lastUser).filter(({ role }) => role === 'assistant').length;
  if (tools.length === 0 || steps >= 3 || random.chance(0.2)) return { text: 'Done.', delayMs };
  const kinds = tools.includes('delegate')
    ? [shell, shell, write, ask, () => delegate(canary)]
    : [shell, shell, write];
  const calls = Array.from({ length: random.whole(1, 3) }, () => random.pick(kinds)());
  return { text: 'I work.', calls, delayMs };
};

/** A thread, and all its events as a reader gets them that comes again after each crash. */
const follow = (person: Person, id: string) => {
  const thread = threadOf(person, id);
  const events: NumberedEvent[] = [];
  return {
    thread,
    events,
    read: async () => events.push(...(await thread.events(events.at(-1)?.id ?? 0))),
  };
};
type Followed = ReturnType<typeof follow>;

const answerTo = ({ inputType }: { inputType: string }) => {
  const approved = random.chance(0.8);
  if (inputType === 'questions') return { kind: 'questions', answers: [] };
  return { approved, resourceDecision: approved ? 'allowOnce' : 'denyOnce' };
};

const answerAll = async (thread: Thread) => {
  for (const one of await thread.asks()) await thread.answer(one.requestId, answerTo(one));
};

/** What a person does with a thread; the server may be gone at any moment. */
const use = async ({ thread, read }: Followed, canary: Canary, isOver: () => boolean) => {
  while (!isOver()) {
    await pause(50, 1_500);
    const act = async () => {
      if (random.chance(0.2)) await thread.say(`Work. ${canary}`, 'queue');
      if (random.chance(0.05)) await thread.cancel();
      if (random.chance(0.5)) await answerAll(thread);
      await read();
    };
    await act().catch(() => {});
  }
};

const runsOf = (events: readonly NumberedEvent[], type: 'run-start' | 'run-finish') =>
  events.filter(({ event }) => event.type === type).map(({ event }) => event.runId);

/** Answers what is open until nothing works or waits any more. */
const settle = ({ thread, read, events }: Followed) =>
  until(async () => {
    await answerAll(thread);
    const { status, queue, queuePaused } = await thread.now();
    await read();
    const isOpen = runsOf(events, 'run-start').length > runsOf(events, 'run-finish').length;
    return status === 'idle' && !isOpen && (queue.length === 0 || queuePaused);
  });

/** Commands that had another number of effects than their result says. */
const wrongEffects = (events: readonly NumberedEvent[], root: string): string[] => {
  const path = join(root, 'marks');
  const done = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const outcomes = new Map(
    events.flatMap(({ event: { payload } }) =>
      'outcome' in payload && 'toolCallId' in payload ? [[payload.toolCallId, payload.outcome]] : [],
    ),
  );
  return events.flatMap(({ event }) => {
    if (event.type !== 'tool-call') return [];
    const mark = /mark-\d+-/.exec(String(event.payload.args['command']))?.[0];
    if (mark === undefined) return [];
    const times = done.split(mark).length - 1;
    const outcome = outcomes.get(event.payload.toolCallId);
    const isRight = outcome === 'ok' ? times === 1 : times <= 1;
    return isRight ? [] : [`${mark} ${outcome}: ${times} times`];
  });
};

const expectWhole = ({ thread, events }: Followed, canary: Canary) => {
  const about = { thread: thread.id, canary };
  const ids = events.map(({ id }) => id);
  expect({ ...about, ids }).toEqual({ ...about, ids: ids.map((_, at) => at + 1) });
  expect({ ...about, ended: runsOf(events, 'run-finish') }).toEqual({
    ...about,
    ended: runsOf(events, 'run-start'),
  });
  const others = canaries.filter((one) => one !== canary && JSON.stringify(events).includes(one));
  expect({ ...about, others }).toEqual({ ...about, others: [] });
};

it('holds every invariant while the server of two users is killed at random', async () => {
  const model = await startScriptedModel(turnOf);
  const server = await startServer(processes, {
    AGENT_MODEL: 'stub',
    AGENT_MODEL_URL: model.url,
    AGENT_MAX_RUNS_PER_USER: '20',
  });
  const ann = await server.createOwner();
  const people = [ann, await server.invite(ann)];
  const flags = ['--permission-shell', 'allow', '--dangerously-disable-shell-sandbox'];
  const users = await Promise.all(
    people.map(async (person, at) => ({
      canary: canaries[at] ?? canaries[0],
      daemon: await connectDaemon(processes, { person, url: server.url, flags }),
      // Both users have the same ids.
      threads: Array.from({ length: threadsEach }, (_, n) => follow(person, `thread-${n}`)),
    })),
  );
  const each = users.flatMap(({ threads, canary }) => threads.map((followed) => ({ followed, canary })));
  // A thread exists from its first message on: on a slow machine, chance alone may send none in time.
  for (const { followed, canary } of each) await followed.thread.say(`Work. ${canary}`, 'queue');

  let kills = 0;
  const isOver = () => kills >= deaths;
  const used = each.map(({ followed, canary }) => use(followed, canary, isOver));
  while (!isOver()) {
    await pause(300, 4_000);
    await server.end('SIGKILL');
    const rows = openRows(server.dataDir);
    expect(rows.wrong()).toEqual([]);
    rows.close();
    await server.restart();
    kills += 1;
  }
  await Promise.all(used);
  // Twice: the end of a task may start a run later.
  for (let round = 0; round < 2; round += 1) await Promise.all(each.map(({ followed }) => settle(followed)));

  for (const { followed, canary } of each) expectWhole(followed, canary);
  for (const { threads, daemon } of users)
    expect(threads.flatMap(({ events }) => wrongEffects(events, daemon.root))).toEqual([]);
  expect(model.requests.flatMap(unpaired)).toEqual([]);
  expect(model.requests.filter(({ text }) => canariesIn(text).length !== 1).map(({ text }) => text)).toEqual(
    [],
  );
  const runs = each.flatMap(({ followed }) =>
    followed.events.filter(({ event }) => event.type === 'run-finish'),
  );
  console.log(`${kills} kills, ${runs.length} runs, ${marks} calls, ${model.requests.length} requests`);
  expect(runs.length).toBeGreaterThan(5);
  await model.close();
}, 420_000);
