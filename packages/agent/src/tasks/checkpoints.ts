import type { RunContext } from '../engine/context.ts';
import type { AgentRow, PlanTaskRow } from '../rows.ts';
import { update, type AgentStore } from '../store-port.ts';
import type { ThreadKey } from '../thread-key.ts';

/** Checkpoints of a thread's plans that wait for the main agent's judgement. */
export const openCheckpoints = async (
  { store }: { store: AgentStore },
  { userId, threadId }: Pick<AgentRow, 'userId' | 'threadId'>,
): Promise<PlanTaskRow[]> => {
  const plans = await store.find('agentPlans', { userId, threadId, state: 'active' });
  if (plans.length === 0) return [];
  const planId = plans.map(({ id }) => id);
  return store.find('agentPlanTasks', { userId, planId, kind: 'checkpoint', state: 'running' });
};

const noVerdict = 'The agent has given no verdict.';

/** Checkpoints that the main agent was told of, and left without a verdict at the end of its run, fail. */
export const failUnjudged = async (ctx: RunContext, { userId, threadId }: ThreadKey): Promise<void> => {
  const open = await openCheckpoints(ctx, { userId, threadId });
  const writes = open.map(({ planId, taskId }) =>
    update(
      'agentPlanTasks',
      { userId, planId, taskId, state: 'running' },
      { state: 'failed', result: noVerdict },
    ),
  );
  if (writes.length === 0 || !(await ctx.store.commit(writes, 'synced'))) return;
  for (const planId of new Set(open.map((task) => task.planId))) ctx.tickPlan(userId, planId);
};
