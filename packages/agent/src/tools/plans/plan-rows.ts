import type { PlanItem, PlanTask, PlanView, TaskItem } from '@drawbridge/contracts/agent/tasks';
import { cutText } from '@drawbridge/kit';
import type { AgentNeeds } from '../../ports/needs.ts';
import { eventOf } from '../../rows/events.ts';
import type { Work } from '../../rows/load.ts';
import type { AgentRow, PlanRow, PlanTaskRow } from '../../rows/rows.ts';
import { type AgentStore, insert, type Write } from '../../rows/store.ts';

interface NewPlan {
  id: string;
  title: string;
  tasks: PlanTask[];
}

/** The rows of a plan that the person has approved. */
export const newPlanRows = (
  ctx: Pick<AgentNeeds, 'clock'>,
  { thread, run }: Work,
  { id, title, tasks }: NewPlan,
): { view: PlanView; writes: Write[] } => {
  const now = ctx.clock.now();
  const { userId } = thread;
  const row: PlanRow = {
    userId,
    id,
    threadId: thread.id,
    runId: run.id,
    title,
    state: 'active',
    createdAt: now,
    updatedAt: now,
  };
  const rows = tasks.map(({ id: taskId, ...task }, n): PlanTaskRow => ({
    ...task,
    userId,
    planId: id,
    taskId,
    n,
    state: 'waiting',
    agentId: null,
    tries: 0,
    signatures: [],
    verdict: null,
    result: '',
  }));
  return {
    view: planViewOf(row, rows),
    writes: [insert('agentPlans', row), ...rows.map((task) => insert('agentPlanTasks', task))],
  };
};

/** Shows the plan as it is now. */
export const planEvent = (
  ctx: Pick<AgentNeeds, 'clock'>,
  agent: Pick<AgentRow, 'userId' | 'threadId' | 'runId'> & { id: string | null },
  { view, tasks }: { view: PlanView; tasks: TaskItem[] },
): Write => eventOf(ctx, agent, 'tasks-update', { tasks: { tasks }, plan: view });

const resultLength = 500;

const itemOf = ({
  taskId,
  title,
  kind,
  spec,
  deps,
  tools,
  state,
  agentId,
  result,
}: PlanTaskRow): PlanItem => ({
  id: taskId,
  title,
  kind,
  spec,
  deps,
  tools,
  state,
  ...(agentId !== null && { agentId }),
  ...(result !== '' && { result: cutText(result, resultLength) }),
});

/** The plan as the person sees it, its tasks in the order in which the agent wrote them. */
export const planViewOf = (plan: PlanRow, tasks: readonly PlanTaskRow[]): PlanView => ({
  planId: plan.id,
  title: plan.title,
  state: plan.state,
  items: tasks.toSorted((a, b) => a.n - b.n).map(itemOf),
});

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
