import type { AgentRow, ToolCallRow } from '../rows.ts';
import { increase, update } from '../store-port.ts';
import { closeConfirmation } from '../asks/ask.ts';
import type { RunContext } from './context.ts';
import { continueThread } from '../run/after-run.ts';
import { openAgentStates } from '../run/end-agent.ts';
import { agentLimits } from './limits.ts';
import { runOf } from './load.ts';

const isWorking = ({ state }: AgentRow) => state === 'ready' || state === 'acting';

/** Work that the server did not survive three times, or that was left long ago, needs the person. */
const mustEnd = async (ctx: RunContext, agent: AgentRow): Promise<boolean> => {
  if (!isWorking(agent)) return false;
  const run = await runOf(ctx, agent.userId, agent.runId);
  if (!run) return true;
  return run.crashes >= agentLimits.crashes || ctx.clock.now() - agent.lastActiveAt > agentLimits.awayMs;
};

const countCrashes = async (ctx: RunContext, agents: readonly AgentRow[]) => {
  const runs = new Map(agents.filter(isWorking).map(({ userId, runId }) => [runId, { userId, id: runId }]));
  for (const where of runs.values())
    await ctx.store.commit([increase('agentRuns', where, { crashes: 1 })], 'kept');
};

/** The call continues: the person has answered, or the call has ended. */
const resumeMachineCall = async (ctx: RunContext, call: ToolCallRow): Promise<void> => {
  const { userId, id, requestId } = call;
  if (call.state !== 'waiting' || requestId === null) return;
  if ((await ctx.machine.stateOf(userId, requestId)) === 'waiting') return;
  const isWritten = await ctx.store.commit(
    [
      update('agentToolCalls', { userId, id, state: 'waiting' }, { state: 'planned' }),
      closeConfirmation(ctx, call, 'answered'),
    ],
    'synced',
  );
  if (isWritten) ctx.wake(userId, call.agentId);
};

/** A call of the agent has changed on its machine. */
export const onMachineCall = async (ctx: RunContext, userId: string, requestId: string): Promise<void> => {
  const [call] = await ctx.store.find('agentToolCalls', { userId, requestId, state: 'waiting' });
  if (call) await resumeMachineCall(ctx, call);
};

/** Threads whose next run was not started yet: with a queue, or with news of the last minutes. */
const threadsToContinue = async ({ store, clock }: RunContext) => {
  const recent = { orderBy: 'updatedAt', after: clock.now() - agentLimits.awayMs } as const;
  const [queued, threads] = await Promise.all([
    store.findOfAll('agentQueue', {}),
    store.findOfAll('agentThreads', {}, recent),
  ]);
  const all = [...queued, ...threads.map(({ userId, id: threadId }) => ({ userId, threadId }))];
  return new Map(all.map(({ userId, threadId }) => [`${userId} ${threadId}`, { userId, threadId }])).values();
};

/** Resumes what a stopped server left open. */
export const recover = async (ctx: RunContext): Promise<void> => {
  const agents = await ctx.store.findOfAll('agentAgents', { state: openAgentStates });
  await countCrashes(ctx, agents);
  const ended: AgentRow[] = [];
  for (const agent of agents) if (await mustEnd(ctx, agent)) ended.push(agent);
  for (const agent of ended) await ctx.stopAgents([agent], 'interrupted');
  const waiting = await ctx.store.findOfAll('agentToolCalls', { state: 'waiting', effect: 'machine' });
  for (const call of waiting) await resumeMachineCall(ctx, call);
  for (const agent of agents) if (!ended.includes(agent)) ctx.wake(agent.userId, agent.id);
  for (const { userId, id } of await ctx.store.findOfAll('agentPlans', { state: 'active' }))
    ctx.tickPlan(userId, id);
  for (const thread of await threadsToContinue(ctx)) await continueThread(ctx, thread);
};
