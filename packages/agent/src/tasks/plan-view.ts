import type { PlanItem, PlanView } from '@drawbridge/contracts/agent/tasks';
import { cutText } from '@drawbridge/kit';
import type { PlanRow, PlanTaskRow } from '../rows.ts';

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
