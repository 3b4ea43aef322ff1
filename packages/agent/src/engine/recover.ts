import { planTaskOf, type ThreadKey, threadsOf } from '../rows/keys.ts';
import { agentLimits } from '../rows/limits.ts';
import type { AgentRow } from '../rows/rows.ts';
import { openAgentStates, openRunStates, workingStates } from '../rows/states.ts';
import { increase, update } from '../rows/store.ts';
import { endRun } from '../turns/ends/end-agent.ts';
import { resumeMachineCall } from '../turns/ends/resume-calls.ts';
import { askForAction, openActions } from '../turns/ends/ask-for-action.ts';
import type { RunContext } from './context.ts';

/** A thread that this server has taken. */
interface Taken extends ThreadKey {
  /** `hasCrashed`: the server that drove it has died, which is not counted yet. */
  why: { hasCrashed: boolean };
}

const keyIn = (only: Taken | undefined) =>
  only === undefined ? {} : { userId: only.userId, threadId: only.threadId };

const isWorking = ({ state }: AgentRow) => workingStates.some((one) => one === state);
const isOfRun = ({ kind }: AgentRow) => kind === 'main' || kind === 'delegate';

const runIdsOf = (agents: readonly AgentRow[]): string[] => [
  ...new Set(agents.filter(isWorking).map(({ runId }) => runId)),
];

/**
 * An orderly stop is no crash: the next start counts one for each other run that works. `isOwn`: whether the
 * thread is driven here.
 */
export const markPaused = async (
  ctx: RunContext,
  isOwn: (key: ThreadKey) => boolean = () => true,
): Promise<void> => {
  const open = await ctx.store.findOfAll('agentAgents', { state: workingStates });
  const working = open.filter(isOwn);
  for (const { userId, id } of await ctx.store.findOfAll('agentRuns', { id: runIdsOf(working) }))
    await ctx.store.commit([update('agentRuns', { userId, id }, { isPaused: true })], 'kept');
};

const countCrashes = async (ctx: RunContext, agents: readonly AgentRow[], only?: Taken) => {
  const paused = await ctx.store.findOfAll('agentRuns', { ...keyIn(only), isPaused: true });
  const isPaused = new Set(paused.map(({ id }) => id));
  const working = only?.why.hasCrashed === false ? [] : runIdsOf(agents);
  const crashed = working.filter((id) => !isPaused.has(id));
  for (const { userId, id } of await ctx.store.findOfAll('agentRuns', { id: crashed }))
    await ctx.store.commit([increase('agentRuns', { userId, id }, { crashes: 1 })], 'kept');
  for (const { userId, id } of paused)
    await ctx.store.commit([update('agentRuns', { userId, id }, { isPaused: false })], 'kept');
  if (only !== undefined) only.why.hasCrashed = false;
};

const planOf = ({ planTaskId }: AgentRow) => planTaskOf(planTaskId).planId;

/**
 * Agents that do not continue. `cancelled`: the person had stopped their run or plan. `interrupted`: it
 * crashed for the third time, or its work was left long ago; a run ends with all its delegates.
 */
const agentsToEnd = async (ctx: RunContext, agents: readonly AgentRow[]) => {
  const ids = [...new Set(agents.map(({ runId }) => runId))];
  const runs = new Map((await ctx.store.findOfAll('agentRuns', { id: ids })).map((run) => [run.id, run]));
  const mustEnd = (agent: AgentRow) => {
    const crashes = runs.get(agent.runId)?.crashes ?? Infinity;
    // The machine of a coding agent knows how its turn goes on, however long that took.
    const isTurn = runs.get(agent.runId)?.runtime != null;
    const isAway = !isTurn && ctx.clock.now() - agent.lastActiveAt > agentLimits.awayMs;
    return isWorking(agent) && (crashes >= agentLimits.crashes || isAway);
  };
  const plans = await ctx.store.findOfAll('agentPlans', { id: agents.map(planOf), state: 'cancelled' });
  const stopped = new Set([
    ...[...runs.values()].filter(({ stopAskedAt }) => stopAskedAt !== null).map(({ id }) => id),
    ...plans.map(({ id }) => id),
  ]);
  const isStopped = (agent: AgentRow) => stopped.has(agent.runId) || stopped.has(planOf(agent));
  const ending = new Set(
    agents.filter((agent) => isOfRun(agent) && mustEnd(agent)).map(({ runId }) => runId),
  );
  const cancelled = agents.filter(isStopped);
  const interrupted = agents.filter(
    (agent) => !isStopped(agent) && (isOfRun(agent) ? ending.has(agent.runId) : mustEnd(agent)),
  );
  return { cancelled, interrupted };
};

/** A run whose main agent cannot be read would stay open. */
const endUnreadable = async (ctx: RunContext, agents: readonly AgentRow[], only?: Taken) => {
  const known = new Set(agents.filter(({ kind }) => kind === 'main').map(({ runId }) => runId));
  const runs = await ctx.store.findOfAll('agentRuns', { ...keyIn(only), state: openRunStates });
  const unknown = runs.filter(({ id }) => !known.has(id));
  if (unknown.length === 0) return;
  // A run may have begun since the agents were read; its agent was stored with it.
  const ids = unknown.map(({ id }) => id);
  const agentsOf = await ctx.store.findOfAll('agentAgents', { runId: ids, kind: 'main' });
  const readable = new Set(agentsOf.map(({ runId }) => runId));
  const reason = 'What this run has stored cannot be read.';
  for (const run of unknown)
    if (!readable.has(run.id))
      await ctx.store.commit(endRun(ctx, run, { status: 'error', reason }), 'synced');
};

/** A stop was stored, and its calls were not cancelled yet: their questions must not be answered. */
const cancelStopped = async (ctx: RunContext, thread: ThreadKey) => {
  const ended = { state: 'ended', effect: 'machine', outcome: ['stopped', 'skipped'] } as const;
  for (const { userId, requestId } of await ctx.store.find('agentToolCalls', { ...thread, ...ended }))
    if (requestId !== null) await ctx.machine.cancel(userId, requestId);
};

/** Threads that a stopped server may have left in between: with a queue, or used in the last minutes. */
const recentThreads = async ({ store, clock }: RunContext): Promise<ThreadKey[]> => {
  const recent = { orderBy: 'updatedAt', after: clock.now() - agentLimits.awayMs } as const;
  const [queued, threads] = await Promise.all([
    store.findOfAll('agentQueue', {}),
    store.findOfAll('agentThreads', {}, recent),
  ]);
  return threadsOf([...queued, ...threads.map(({ userId, id: threadId }) => ({ userId, threadId }))]);
};

/**
 * Resumes what a stopped server left open, in all threads or in one. A part that cannot be resumed keeps no
 * other part from starting; that of one thread is thrown at the end, for another try.
 */
export const recover = async (ctx: RunContext, only?: Taken): Promise<void> => {
  const failures: unknown[] = [];
  const failed = (error: unknown) => void (only === undefined ? ctx.onError(error) : failures.push(error));
  const each = async <Item>(items: Iterable<Item>, job: (item: Item) => Promise<unknown>) => {
    for (const item of items) await job(item).catch(failed);
  };
  const key = keyIn(only);
  const agents = await ctx.store.findOfAll('agentAgents', { ...key, state: openAgentStates });
  await endUnreadable(ctx, agents, only);
  await countCrashes(ctx, agents, only);
  const { cancelled, interrupted } = await agentsToEnd(ctx, agents);
  // Main agents first: the end of a delegate continues its parent.
  const mainFirst = (list: AgentRow[]) =>
    list.toSorted((a, b) => Number(b.kind === 'main') - Number(a.kind === 'main'));
  await each(mainFirst(cancelled), (agent) => ctx.stopAgents([agent], 'cancelled'));
  await each(mainFirst(interrupted), (agent) => ctx.stopAgents([agent], 'interrupted'));
  const waiting = await ctx.store.findOfAll('agentToolCalls', {
    ...key,
    state: 'waiting',
    effect: 'machine',
    endedAt: null,
  });
  await each(waiting, async (call) => ctx.perform(await resumeMachineCall(ctx, call)));
  await each(await openActions(ctx, key), (call) => askForAction(ctx, call));
  const ended = new Set([...cancelled, ...interrupted]);
  for (const agent of agents) if (!ended.has(agent)) ctx.wake(agent.userId, agent.id);
  const plans = await ctx.store.findOfAll('agentPlans', { ...key, state: 'active' });
  await ctx.perform(plans.map(({ userId, id: planId }) => ({ type: 'tickPlan', userId, planId })));
  // However long ago: a checkpoint that was left without a verdict ends.
  await ctx.perform(threadsOf(plans).map((thread) => ({ type: 'checkLane', thread })));
  const recent = only ? threadsOf([only]) : await recentThreads(ctx);
  await each(recent, (thread) => cancelStopped(ctx, thread));
  await ctx.perform(recent.map((thread) => ({ type: 'checkLane', thread })));
  if (failures.length > 0) throw failures[0];
};
