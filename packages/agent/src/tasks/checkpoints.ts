import type { AgentRow, PlanTaskRow } from '../rows.ts';
import type { AgentStore } from '../store-port.ts';

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
