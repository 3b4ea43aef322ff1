import { personSender, type Agent } from '@drawbridge/agent';
import type { AskAnswer, AskPayload } from '@drawbridge/contracts/agent/asks';
import { expect, onTestFinished } from 'vitest';
import { unpaired } from '../../../e2e/agent/crash-script.ts';
import { startMcpStandIn } from '../../../e2e/agent/mcp-stand-in.ts';
import { startScriptedModel, type ScriptedRequest, type Turn } from '../../../e2e/agent/scripted-model.ts';
import { actUntilDone, createCrashWorld, userId, type Life, type Moment } from './agent-crash.ts';
import { isHelper, use } from './agent-turns.ts';

const threadId = 'thread';
const question = { id: 'a', question: 'Which?', type: 'single', options: ['red', 'blue'] };
const read = (path: string) => ({ name: 'read_file', arguments: { path } });
const write = (path: string) => ({ name: 'write_file', arguments: { path } });
const asks = use('ask-user', { questions: [question] });
const helper = (background: boolean) =>
  use('delegate', { role: 'helper', instructions: 'do:child', tools: ['write_file'], background });
/** Stands for the id that the result of the first turn names. */
const thatSubAgent = 'that sub-agent';
const again = use('send-to-sub-agent', { id: thatSubAgent, message: 'do:more' });
const task = (id: string, deps: string[]) => ({
  ...{ id, title: id, kind: 'delegate', deps, spec: `do:${id}`, tools: ['write_file'] },
});
const plan = use('plan', { title: 'Two', tasks: [task('first', []), task('second', ['first'])] });

export interface Story {
  /** The turns with calls of the agent with the task `do:name`; then it says `Done.` */
  turns: Record<string, Turn[]>;
  /** The person's messages: the first one, and those that are queued behind it. */
  messages: string[];
  /** The person stops the run in place of an answer. */
  isStopped?: boolean;
  /** What the machine has written at the end. */
  written: string[];
  /** How the runs end. */
  ends: string[];
}

const main = (turn: Turn) => ({
  turns: { main: [turn] },
  messages: ['main'],
  written: [],
  ends: ['completed'],
});
const twice = ['completed', 'completed'];

export const stories = {
  'a call that asks': { ...main({ calls: [read('a'), write('b')] }), written: ['b'] },
  'a question': main(asks),
  'a tool outside': main(use('mcp__bell__ring')),
  'a stop': { ...main({ calls: [write('g'), read('endless')] }), isStopped: true, ends: ['cancelled'] },
  'a sub-agent': {
    ...main(helper(false)),
    turns: {
      main: [helper(false), again],
      child: [{ calls: [write('c')] }],
      more: [{ calls: [write('h')] }],
    },
    written: ['c', 'h'],
  },
  'a background task': {
    ...main(helper(true)),
    turns: { main: [helper(true)], child: [{ calls: [write('c')] }] },
    written: ['c'],
    ends: twice,
  },
  'a plan': {
    ...main(plan),
    turns: { main: [plan], first: [{ calls: [write('d')] }], second: [{ calls: [write('e')] }] },
    written: ['d', 'e'],
    ends: twice,
  },
  'a queued message': {
    turns: { main: [asks], next: [{ calls: [write('f')] }] },
    messages: ['main', 'next'],
    written: ['f'],
    ends: twice,
  },
} satisfies Record<string, Story>;

/** The newest task in a request, and how many steps with calls came after it. */
const scriptOf =
  ({ turns }: Story) =>
  (request: ScriptedRequest): Turn => {
    if (isHelper(request)) return { text: 'Title' };
    const { messages } = request.body;
    const taskIn = (at: number) => /do:(\w+)/.exec(JSON.stringify(messages[at]?.content))?.[1];
    const at = messages.findLastIndex(({ role }, index) => role === 'user' && taskIn(index) !== undefined);
    const steps = messages.slice(at).filter(({ tool_calls }) => Array.isArray(tool_calls)).length;
    const turn = turns[taskIn(at) ?? '']?.[steps] ?? { text: 'Done.' };
    const id = /the sub-agent (ag_[\w-]+)/.exec(JSON.stringify(messages))?.[1] ?? '';
    return JSON.parse(JSON.stringify(turn).replace(thatSubAgent, id)) as Turn;
  };

const answerTo = ({ inputType }: AskPayload): AskAnswer => {
  if (inputType === 'resource-decision') return { kind: 'resourceDecision', resourceDecision: 'allowOnce' };
  if (inputType === 'questions' || inputType === 'text') return { kind: 'questions', answers: [] };
  return { kind: 'approval', approved: true };
};

const eventsOf = async (agent: Agent) => (await agent.threads.eventsAfter(userId, threadId, 0)).events;

/** Acts once as the person does; true when all runs of the story have ended. */
const actOnce = async (story: Story, { agent }: Life): Promise<boolean> => {
  const snapshot = await agent.threads.snapshot(userId, threadId, { limit: 50 }).catch(() => null);
  const said = snapshot ? JSON.stringify([await eventsOf(agent), snapshot.now.queue]) : '';
  // A message without an acknowledgement is sent again, if it is not there.
  const next = story.messages.find((name) => !said.includes(`"do:${name}"`));
  if (next !== undefined) {
    await agent.send(personSender(userId, 'panel'), threadId, {
      message: `do:${next}`,
      attachments: [],
      mode: 'queue',
    });
    return false;
  }
  if (!snapshot) return false;
  const { view, now } = snapshot;
  if (now.status === 'idle' && now.queue.length === 0 && view.runs.length >= story.ends.length) return true;
  const open = Object.values(view.asks);
  if (story.isStopped === true && open.length > 0) await agent.cancel(userId, threadId);
  else for (const ask of open) await agent.confirm(userId, ask.requestId, answerTo(ask)).catch(() => {});
  return false;
};

const expectWhole = async ({ agent }: Life, { ends }: Story): Promise<void> => {
  const events = await eventsOf(agent);
  const ofType = (type: string) => events.filter(({ event }) => event.type === type);
  const runs = (type: string) => ofType(type).map(({ event }) => event.runId);
  const ended = events.flatMap(({ event: { payload } }) =>
    'outcome' in payload && 'toolCallId' in payload ? [payload.toolCallId] : [],
  );
  const called = ofType('tool-call').flatMap(({ event: { payload } }) =>
    'toolCallId' in payload ? [payload.toolCallId] : [],
  );
  expect({
    numbers: events.map(({ id }) => id),
    runs: runs('run-finish'),
    ends: ofType('run-finish').map(({ event: { payload } }) => 'status' in payload && payload.status),
    calls: ended.toSorted(),
  }).toEqual({
    numbers: events.map((_, at) => at + 1),
    runs: runs('run-start'),
    ends,
    calls: called.toSorted(),
  });
};

/**
 * Plays a story whose server is gone at the first moment, counted from the person's first act, and at the
 * second one, counted from its next start. Gives the number of writes of both.
 */
export const play = async (
  story: Story,
  moment: Moment | null = null,
  again: Moment | null = null,
): Promise<{ writes: number; startWrites: number }> => {
  const model = await startScriptedModel(scriptOf(story));
  const bell = await startMcpStandIn(() => Promise.resolve());
  onTestFinished(async () => void (await Promise.all([model.close(), bell.close()])));
  const hasBell = story.turns['main']?.some(({ calls }) => calls?.[0]?.name.startsWith('mcp')) === true;
  const world = await createCrashWorld({
    AGENT_MODEL_URL: model.url,
    ...(hasBell && { AGENT_MCP_SERVERS: `bell=${bell.url}` }),
  });
  const person = (life: Life) => actUntilDone(life, () => actOnce(story, life));
  const writes = await world.live(person, moment && { ...moment, from: 'use' });
  const startWrites = await world.live(() => Promise.resolve(), {
    ...(again ?? { at: Infinity, isStored: true }),
    from: 'start',
  });
  await world.live(async (life) => {
    await person(life);
    await expectWhole(life, story);
  });
  expect(model.requests.flatMap(unpaired)).toEqual([]);
  expect(world.written).toEqual(story.written);
  expect(bell.rings()).toBeLessThanOrEqual(hasBell ? 1 : 0);
  return { writes, startWrites };
};

/** Plays the story once for each of its writes, gone just after it or just before it. */
export const playEachWrite = async (story: Story, isStored: boolean): Promise<void> => {
  const { writes } = await play(story);
  for (let at = 1; at <= writes; at += 1) await play(story, { at, isStored });
  expect(writes).toBeGreaterThan(5);
};
