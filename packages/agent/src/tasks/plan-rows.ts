import type { PlanTask, PlanView, TaskItem } from '@drawbridge/contracts/agent/tasks';
import type { AgentRow, PlanRow, PlanTaskRow } from '../rows.ts';
import { insert, type Write } from '../store-port.ts';
import { planViewOf } from './plan-view.ts';
import { eventOf, type AgentNeeds, type Work } from '../engine/context.ts';

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
): Write => eventOf(ctx, agent, ['tasks-update', { tasks: { tasks }, plan: view }]);
