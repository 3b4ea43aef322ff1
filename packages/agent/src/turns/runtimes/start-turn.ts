import { messageMark, turnTool } from '@drawbridge/contracts/machines/runtimes';
import { cutText } from '@drawbridge/kit';
import type { AgentNeeds } from '../../ports/needs.ts';
import { eventOf } from '../../rows/events.ts';
import { agentLimits } from '../../rows/limits.ts';
import { agentOf, historyOf, nextSeq, type Work } from '../../rows/load.ts';
import { newMessage } from '../../rows/new-rows.ts';
import { wordsOf } from '../../rows/parts.ts';
import type { MessageRow, RunRow, ToolCallRow } from '../../rows/rows.ts';
import { isRuntimeKey, runtimeKey } from '../../rows/sender.ts';
import { insert, update, type Write } from '../../rows/store.ts';
import { shownArguments } from '../../tools/common/asks.ts';
import type { StoredStep } from '../steps/think.ts';
import { stepOf } from '../ends/runtime-words.ts';
import { messageWords } from './message-words.ts';
import { turnToolsOf } from './turn-tools.ts';

type Needs = Pick<AgentNeeds, 'store' | 'clock' | 'newId' | 'machine'>;
type RunRuntime = NonNullable<RunRow['runtime']>;

const maxPrompt = 90_000;
/** Of earlier messages, for a coding agent that begins in the middle of a chat. */
const maxPreface = 8_000;
const prefaceMessages = 40;

/** What the person has said since the last turn of the run; '' for nothing. */
const newWords = async (
  ctx: Needs,
  { run, agent }: Work,
  { last, takesPictures }: { last: ToolCallRow | undefined; takesPictures: boolean },
) => {
  const { store } = ctx;
  const { userId, threadId, id: runId } = run;
  const where = { userId, threadId, history: historyOf(agent), runId };
  const own = { ...where, agentId: agent.id };
  const [said] = last === undefined ? [] : await store.find('agentMessages', { ...own, step: last.step });
  // A sub-agent has its messages of its parent, each turn its own.
  const given = { ...(agent.kind === 'main' ? where : own), role: 'user' } as const;
  const messages = await store.find('agentMessages', given, { orderBy: 'seq' });
  const fresh = messages.filter(({ seq }) => seq > (said?.seq ?? -1));
  return {
    ...(await messageWords(ctx, { userId: run.userId, takesPictures }, fresh)),
    firstSeq: fresh[0]?.seq ?? 0,
  };
};

const nameOf = ({ source, sender }: MessageRow): string => {
  if (source === 'person') return 'Person';
  if (source === 'note') return 'Task';
  return isRuntimeKey(sender) ? 'Coding agent' : 'Assistant';
};

/** The end of the chat before the message, as data. */
const prefaceOf = async ({ store }: Needs, { agent }: Work, before: number): Promise<string> => {
  const { userId, threadId, kind } = agent;
  const asked = kind === 'main' ? ('person' as const) : ('note' as const);
  const rows = await store.find(
    'agentMessages',
    { userId, threadId, history: historyOf(agent), source: [asked, 'model'] },
    { orderBy: 'seq', descending: true, after: before, limit: prefaceMessages },
  );
  const lines: string[] = [];
  let left = maxPreface;
  for (const row of rows) {
    const line = `${nameOf(row)}: ${wordsOf(row.parts)}`;
    if (wordsOf(row.parts) === '') continue;
    if (line.length > left) break;
    left -= line.length;
    lines.unshift(line);
  }
  if (lines.length === 0) return '';
  return `[Earlier in this chat, for your information:]\n${lines.join('\n')}\n${messageMark}`;
};

const isSame = (a: Pick<RunRuntime, 'id' | 'machineId' | 'folder'>, b: typeof a) =>
  a.id === b.id && a.machineId === b.machineId && a.folder === b.folder;

/** The turns of an agent in its run, the newest first. */
export const turnsOf = (
  { store }: Pick<AgentNeeds, 'store'>,
  { userId, id: agentId }: Work['agent'],
): Promise<ToolCallRow[]> => {
  const newest = { orderBy: 'step', descending: true } as const;
  return store.find('agentToolCalls', { userId, agentId, tool: turnTool }, newest);
};

const leftOut = (names: readonly string[]): string =>
  `Not given to the coding agent: ${names.join(', ')}. It gets text files, up to 50,000 characters in all, and where it takes pictures, 4 of 2.2 MB in all. Put others into its folder.`;

const beginsAnew =
  'The conversation of the coding agent could not be continued: a new one begins, with the last messages of this chat.';

export interface TurnStart {
  work: Work;
  runtime: RunRuntime;
  /** The turns before it, the newest first. */
  turns: readonly ToolCallRow[];
  /** Without the conversation that it had: the last turn could not find it. */
  isFresh: boolean;
}

const newCall = (ctx: Needs, { work, turns: [last] }: TurnStart, args: object): ToolCallRow => ({
  userId: work.agent.userId,
  id: ctx.newId('tc_'),
  threadId: work.thread.id,
  runId: work.run.id,
  agentId: work.agent.id,
  step: last === undefined ? work.agent.steps + 1 : stepOf(last, last.turnEvents ?? 0),
  n: 0,
  tool: turnTool,
  arguments: JSON.stringify(args),
  effect: 'machine',
  state: 'running',
  outcome: null,
  requestId: ctx.newId(''),
  askId: null,
  result: null,
  whole: null,
  shown: '',
  isShownCut: false,
  signature: null,
  turnEvents: 0,
  turnId: null,
  startedAt: ctx.clock.now(),
  endedAt: null,
});

/**
 * Writes the call that gives the new messages of a run to a coding agent; null where there are none, or where
 * the agent has changed meanwhile.
 */
export const startTurn = async (ctx: Needs, start: TurnStart): Promise<StoredStep | 'nothing new' | null> => {
  const { work, runtime, turns, isFresh } = start;
  const { agent, thread } = work;
  const { userId, id } = agent;
  const history = historyOf(agent);
  const known =
    agent.kind === 'main' ? thread.runtimeSession : ((await agentOf(ctx, userId, history))?.runtime ?? null);
  const session = (!isFresh && known !== null && isSame(known, runtime) && known.session) || undefined;
  const { folder, machineId } = runtime;
  const machines = await ctx.machine.runtimes(userId);
  const inputs = machines.find(({ id: own }) => own === machineId)?.inputs ?? [];
  const last = isFresh ? turns[1] : turns[0];
  const given = await newWords(ctx, work, { last, takesPictures: inputs.includes('pictures') });
  const { words, left, pictures, firstSeq } = given;
  if (words === '') return 'nothing new';
  const isPrefaced = session === undefined || inputs.includes('earlier');
  const preface = isPrefaced ? await prefaceOf(ctx, work, firstSeq) : '';
  const prompt = cutText(session === undefined ? preface + words : words, maxPrompt);
  const args = {
    runtime: runtime.id,
    prompt,
    ...(folder !== null && { folder }),
    ...(session && { session }),
    ...(session && preface !== '' && { earlier: preface }),
    ...(pictures.length > 0 && { pictures }),
    ...(inputs.includes('asks') && { asks: true }),
    ...(inputs.includes('plans') && { plans: true }),
  };
  const call = newCall(ctx, start, args);
  const message = newMessage(ctx, {
    ...{
      userId,
      threadId: thread.id,
      history,
      runId: work.run.id,
      agentId: id,
      step: call.step,
    },
    seq: await nextSeq(ctx, { userId, threadId: thread.id, history }),
    ...{ role: 'assistant', source: 'model' },
    parts: [{ type: 'tool-call', toolCallId: call.id, tool: turnTool, arguments: '{}' }],
  });
  const acting = { state: 'acting', steps: call.step, lastActiveAt: ctx.clock.now(), tainted: true } as const;
  const shown = shownArguments(call.arguments, agentLimits.shownArgumentsBytes);
  const writes: Write[] = [
    update('agentAgents', { userId, id, state: 'ready', steps: agent.steps }, acting),
    insert('agentMessages', { ...message, sender: runtimeKey(runtime.id) }),
    insert('agentToolCalls', call),
    ...(isFresh ? [eventOf(ctx, agent, 'notice', { text: beginsAnew })] : []),
    ...(left.length > 0 ? [eventOf(ctx, agent, 'notice', { text: leftOut(left) })] : []),
    eventOf(ctx, agent, 'tool-call', {
      ...{ toolCallId: call.id, toolName: turnTool, args: shown.args },
      ...(shown.isCut && { isCut: true }),
      ...(call.requestId !== null && { requestId: call.requestId }),
    }),
  ];
  if (!(await ctx.store.commit(writes, 'synced'))) return null;
  return { work: { ...work, agent: { ...agent, ...acting } }, calls: [call], tools: turnToolsOf(runtime) };
};
