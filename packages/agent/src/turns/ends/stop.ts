import type { AgentNeeds } from '../../ports/needs.ts';
import { errors } from '../../rows/errors.ts';
import { agentLimits } from '../../rows/limits.ts';
import { openCallsOf, openRunOf, threadOf, workOf } from '../../rows/load.ts';
import type { AgentFailure, AgentRow, AskRow, RunRow, ToolCallRow } from '../../rows/rows.ts';
import { openAgentStates } from '../../rows/states.ts';
import { update, type Write } from '../../rows/store.ts';
import { closeAsk, closeConfirmation } from '../../tools/common/asks.ts';
import type { ToolContext } from '../../tools/common/tool.ts';
import type { TurnEffect } from '../effects.ts';
import { endAgent, endOf, endRun } from './end-agent.ts';
import { endCall, endWith } from './end-call.ts';
import { lastWords } from './runtime-words.ts';

export const stoppedText = {
  cancelled: 'The person stopped this. It may have run.',
  interrupted: 'This was interrupted. It may have run.',
} as const;

const releasedText = 'The run did not stop in time and was released.';

/** Ends open calls, and withdraws the questions that they wait for. */
export const closeCalls = (
  ctx: Pick<AgentNeeds, 'clock'>,
  calls: readonly ToolCallRow[],
  end: { outcome: 'stopped' | 'skipped'; text: string; asks: readonly AskRow[] },
): Write[] => {
  const writes: Write[] = [];
  const asked = new Set(end.asks.map(({ toolCallId }) => toolCallId));
  for (const call of calls) {
    if (call.state === 'waiting' && call.effect === 'machine' && !asked.has(call.id))
      writes.push(closeConfirmation(ctx, call, 'withdrawn'));
    // An action of its coding agent that was stored since undoes this: then it is read, too.
    const { userId, id, turnEvents } = call;
    if (turnEvents !== null)
      writes.push(update('agentToolCalls', { userId, id, turnEvents }, { turnEvents }));
    const { outcome, text } = end;
    const ended = endWith(outcome, text);
    // One that has begun meanwhile is not skipped: the transaction is undone, and tried again.
    writes.push(...endCall(ctx, call, outcome === 'skipped' ? { ...ended, from: [call.state] } : ended));
  }
  return writes;
};

/** The open questions of an agent itself, not of its machine. */
export const openAsksOf = (
  { store }: Pick<AgentNeeds, 'store'>,
  { userId, id }: Pick<AgentRow, 'userId' | 'id'>,
): Promise<AskRow[]> => store.find('agentAsks', { userId, agentId: id, state: 'open' });

export const withdrawAsks = (ctx: Pick<AgentNeeds, 'clock'>, asks: readonly AskRow[]): Write[] =>
  asks.flatMap((ask) => closeAsk(ctx, ask, { outcome: 'withdrawn' }));

/** A step that was stored since undoes the transaction: then its calls are read, too. */
const requireSameSteps = ({ userId, id, steps }: AgentRow): Write =>
  update('agentAgents', { userId, id, steps }, { steps });

interface Close {
  outcome: 'cancelled' | 'interrupted' | 'error';
  error?: string;
  failure?: AgentFailure;
  /** What the model learns of calls that were open. */
  text: string;
  writes?: readonly Write[];
}

type CloseNeeds = Pick<AgentNeeds, 'store' | 'clock' | 'newId' | 'machine' | 'bus' | 'onError'>;

/** What a closed agent has left behind: calls on the machine end, and sub-agents that it waited for. */
const releaseWork = async (
  { store, machine, onError }: CloseNeeds,
  { userId, id: parentId }: AgentRow,
  calls: readonly ToolCallRow[],
): Promise<TurnEffect[]> => {
  for (const { requestId } of calls) if (requestId !== null) machine.cancel(userId, requestId).catch(onError);
  const where = { userId, parentId, kind: 'delegate', state: openAgentStates } as const;
  const agents = await store.find('agentAgents', where);
  return agents.length === 0 ? [] : [{ type: 'stop', agents }];
};

/** Ends an agent with its calls and questions; its history stays a valid prompt. */
export const closeAgent = async (
  ctx: CloseNeeds,
  { userId, id }: Pick<AgentRow, 'userId' | 'id'>,
  { text, writes = [], ...close }: Close,
): Promise<TurnEffect[]> => {
  // A late write of the agent undoes this transaction once: then its rows are read again.
  for (let attempt = 0; attempt < agentLimits.commitTries; attempt += 1) {
    const work = await workOf(ctx, userId, id);
    if (!work || work.agent.state === 'ended') return [];
    const calls = await openCallsOf(ctx, work.agent);
    const asks = await openAsksOf(ctx, work.agent);
    const end = await endOf(ctx, work, { ...close, result: work.agent.result });
    const all = [
      ...writes,
      requireSameSteps(work.agent),
      ...(await lastWords(ctx, work, calls)),
      ...closeCalls(ctx, calls, { outcome: 'stopped', text, asks }),
      ...withdrawAsks(ctx, asks),
      ...end.writes,
    ];
    if (!(await ctx.store.commit(all, 'synced'))) continue;
    return [...end.effects, ...(await releaseWork(ctx, work.agent, calls))];
  }
  throw errors.conflict({ message: `The agent ${id} could not be ended` });
};

/** Each may take as long as agents have to stop. */
const stopRounds = 5;

type StopNeeds = Pick<AgentNeeds, 'store' | 'clock'> & Pick<ToolContext, 'stopAgents'>;

/** Everything that works in a thread, the main agent last. */
const openAgentsOf = async (
  { store }: Pick<AgentNeeds, 'store'>,
  userId: string,
  threadId: string,
): Promise<AgentRow[]> => {
  const open = await store.find('agentAgents', { userId, threadId, state: openAgentStates });
  return open.toSorted((a, b) => Number(a.kind === 'main') - Number(b.kind === 'main'));
};

/** Stops the run of a thread, its background tasks and plans. */
export const stopThread = async (ctx: StopNeeds, userId: string, threadId: string): Promise<TurnEffect[]> => {
  const thread = await threadOf(ctx, userId, threadId);
  if (!thread) return [];
  const run = await openRunOf(ctx, userId, threadId);
  const open = await openAgentsOf(ctx, userId, threadId);
  const runIds = new Set([...(run ? [run.id] : []), ...open.map(({ runId }) => runId)]);
  const stopAskedAt = ctx.clock.now();
  const plans = await ctx.store.find('agentPlans', { userId, threadId, state: 'active' });
  const marks = [
    // Also of background tasks, whose run has ended: a crash during Stop must not let them continue.
    ...[...runIds].map((id) => update('agentRuns', { userId, id }, { stopAskedAt })),
    ...plans.map(({ id }) => update('agentPlans', { userId, id }, { state: 'cancelled' })),
  ];
  if (marks.length > 0) await ctx.store.commit(marks, 'synced');
  // A call that ended meanwhile may have started another agent.
  for (let round = 0; round < stopRounds; round += 1) {
    const agents = await openAgentsOf(ctx, userId, threadId);
    if (agents.length === 0) break;
    await ctx.stopAgents(agents, 'cancelled');
  }
  return plans.map(({ id: planId }) => ({ type: 'tickPlan', userId, planId }));
};

const ofRun = (userId: string, runId: string) =>
  ({ userId, runId, kind: ['delegate', 'main'], state: openAgentStates }) as const;

/** Stops a run alone; its background tasks and plans continue. */
export const stopRun = async (ctx: StopNeeds, userId: string, runId: string): Promise<void> => {
  const agents = await ctx.store.find('agentAgents', ofRun(userId, runId), { orderBy: 'createdAt' });
  // The end of a delegate continues its parent, so the main agent is halted with it.
  if (agents.length > 0) await ctx.stopAgents(agents.toReversed(), 'cancelled');
};

/** Ends the rows of a run that could not be stopped: what it writes later finds no open row. */
export const releaseRun = async (ctx: Pick<AgentNeeds, 'store' | 'clock'>, run: RunRow): Promise<void> => {
  for (let attempt = 0; attempt < agentLimits.commitTries; attempt += 1) {
    const agents = await ctx.store.find('agentAgents', ofRun(run.userId, run.id));
    const writes: Write[] = [];
    for (const agent of agents) {
      const calls = await openCallsOf(ctx, agent);
      const asks = await openAsksOf(ctx, agent);
      writes.push(
        requireSameSteps(agent),
        ...closeCalls(ctx, calls, { outcome: 'stopped', text: stoppedText.cancelled, asks }),
        ...withdrawAsks(ctx, asks),
        ...endAgent(ctx, agent, { outcome: 'cancelled', result: agent.result }),
      );
    }
    writes.push(...endRun(ctx, run, { status: 'cancelled', reason: releasedText }));
    if (await ctx.store.commit(writes, 'synced')) return;
    if ((await openRunOf(ctx, run.userId, run.threadId))?.id !== run.id) return;
  }
};
