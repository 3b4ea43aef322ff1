import { closeAsk, closeConfirmation } from '../asks/ask.ts';
import type { AgentRow, ToolCallRow } from '../rows.ts';
import { update, type Write } from '../store-port.ts';
import type { RunContext } from '../engine/context.ts';
import { agentLimits } from '../engine/limits.ts';
import { endCall, endWith } from '../step/end-call.ts';
import { endOf } from './finish.ts';
import { openCallsOf, openRunOf, threadOf, workOf } from '../engine/load.ts';
import { openAgentStates, openRunStates } from '../states.ts';
import { errors } from '../errors.ts';

export const stoppedText = {
  cancelled: 'The person stopped this. It may have run.',
  interrupted: 'This was interrupted. It may have run.',
} as const;

/** Ends open calls, and withdraws the questions that they wait for. */
export const closeCalls = async (
  ctx: RunContext,
  calls: readonly ToolCallRow[],
  end: { outcome: 'stopped' | 'skipped'; text: string },
): Promise<Write[]> => {
  const writes: Write[] = [];
  for (const call of calls) {
    if (call.state === 'waiting' && call.effect === 'machine')
      writes.push(closeConfirmation(ctx, call, 'withdrawn'));
    const { outcome, text } = end;
    writes.push(...endCall(ctx, call, endWith(outcome, text)));
  }
  return writes;
};

/** Withdraws the open questions of an agent. */
export const withdrawAsks = async (
  ctx: RunContext,
  { userId, id }: Pick<AgentRow, 'userId' | 'id'>,
): Promise<Write[]> =>
  (await ctx.store.find('agentAsks', { userId, agentId: id, state: 'open' })).flatMap((ask) =>
    closeAsk(ctx, ask, { outcome: 'withdrawn' }),
  );

interface Close {
  outcome: 'cancelled' | 'interrupted' | 'error';
  error?: string;
  /** What the model learns of calls that were open. */
  text: string;
  writes?: readonly Write[];
}

/** Stops what a closed agent has left behind: calls on the machine, and sub-agents that it waited for. */
const releaseWork = async (ctx: RunContext, agent: AgentRow, calls: readonly ToolCallRow[]) => {
  const { userId, id: parentId } = agent;
  for (const { requestId } of calls)
    if (requestId !== null) ctx.machine.cancel(userId, requestId).catch(ctx.onError);
  const where = { userId, parentId, kind: 'delegate', state: openAgentStates } as const;
  await ctx.stopAgents(await ctx.store.find('agentAgents', where), 'cancelled');
};

/** Ends an agent with its calls and questions; its history stays a valid prompt. False if it has ended. */
export const closeAgent = async (
  ctx: RunContext,
  { userId, id }: Pick<AgentRow, 'userId' | 'id'>,
  { outcome, error, text, writes = [] }: Close,
): Promise<boolean> => {
  // A late write of the agent undoes this transaction once: then its rows are read again.
  for (let attempt = 0; attempt < agentLimits.commitTries; attempt += 1) {
    const work = await workOf(ctx, userId, id);
    if (!work || work.agent.state === 'ended') return false;
    const calls = await openCallsOf(ctx, work.agent);
    const { result } = work.agent;
    const end = await endOf(ctx, work, { outcome, result, ...(error !== undefined && { error }) });
    const all = [
      ...writes,
      ...(await closeCalls(ctx, calls, { outcome: 'stopped', text })),
      ...(await withdrawAsks(ctx, work.agent)),
      ...end.writes,
    ];
    if (!(await ctx.store.commit(all, 'synced'))) continue;
    end.after();
    await releaseWork(ctx, work.agent, calls);
    return true;
  }
  throw errors.conflict({ message: `The agent ${id} could not be ended` });
};

/** Everything that works in a thread, the main agent last. */
const openAgentsOf = async (ctx: RunContext, userId: string, threadId: string): Promise<AgentRow[]> => {
  const open = await ctx.store.find('agentAgents', { userId, threadId, state: openAgentStates });
  return open.toSorted((a, b) => Number(a.kind === 'main') - Number(b.kind === 'main'));
};

/** Stops the run of a thread, its background tasks and plans; the queue waits until it is resumed. */
export const stopThread = async (ctx: RunContext, userId: string, threadId: string): Promise<void> => {
  const thread = await threadOf(ctx, userId, threadId);
  if (!thread) return;
  const run = await openRunOf(ctx, userId, threadId);
  const open = await openAgentsOf(ctx, userId, threadId);
  const runIds = new Set([...(run ? [run.id] : []), ...open.map(({ runId }) => runId)]);
  const stopAskedAt = ctx.clock.now();
  const queued = await ctx.store.find('agentQueue', { userId, threadId }, { limit: 1 });
  const plans = await ctx.store.find('agentPlans', { userId, threadId, state: 'active' });
  const marks = [
    // Also of background tasks, whose run has ended: a crash during Stop must not let them continue.
    ...[...runIds].map((id) => update('agentRuns', { userId, id }, { stopAskedAt })),
    ...(queued.length > 0 ? [update('agentThreads', { userId, id: threadId }, { queuePaused: true })] : []),
    ...plans.map(({ id }) => update('agentPlans', { userId, id }, { state: 'cancelled' })),
  ];
  if (marks.length > 0) await ctx.store.commit(marks, 'synced');
  // A call that ended meanwhile may have started another agent.
  for (let round = 0; round < agentLimits.commitTries; round += 1) {
    const agents = await openAgentsOf(ctx, userId, threadId);
    if (agents.length === 0) break;
    await ctx.stopAgents(agents, 'cancelled');
  }
  for (const { id } of plans) ctx.tickPlan(userId, id);
};

/** The same for every thread of the user in which something runs. */
export const stopThreads = async (ctx: RunContext, userId: string): Promise<void> => {
  const found = await Promise.all([
    ctx.store.find('agentRuns', { userId, state: openRunStates }),
    ctx.store.find('agentAgents', { userId, state: openAgentStates }),
    ctx.store.find('agentPlans', { userId, state: 'active' }),
  ]);
  const threadIds = new Set(found.flat().map(({ threadId }) => threadId));
  await Promise.all([...threadIds].map((threadId) => stopThread(ctx, userId, threadId)));
};
