import type { PlanRow, PlanTaskRow } from '../rows/rows.ts';

/** Agents of one plan that work side by side. */
const maxRunningTasks = 5;

export interface SchedulableTask extends Pick<PlanTaskRow, 'taskId' | 'n' | 'kind' | 'deps' | 'state'> {
  /** It may write to the machine: such tasks run one at a time. */
  isWriting: boolean;
}

export interface PlanStep {
  state: PlanRow['state'];
  /** Waiting tasks that start now. A checkpoint has no agent of its own: the main agent judges it. */
  start: string[];
  /** Waiting tasks that never start. */
  cancel: string[];
  /** Running tasks whose agents are stopped. */
  stop: string[];
}

type States = ReadonlyMap<string, PlanTaskRow['state']>;

const idsIn = (states: States, state: PlanTaskRow['state']): string[] =>
  [...states].flatMap(([id, its]) => (its === state ? [id] : []));

/** Waiting tasks that need, directly or through others, a task that did not succeed. */
const blockedTasks = (tasks: readonly SchedulableTask[], states: States): string[] => {
  const lost = new Set([...idsIn(states, 'failed'), ...idsIn(states, 'cancelled')]);
  const blocked: string[] = [];
  let before = -1;
  while (before < blocked.length) {
    before = blocked.length;
    for (const { taskId, deps } of tasks) {
      if (states.get(taskId) !== 'waiting' || lost.has(taskId) || !deps.some((dep) => lost.has(dep)))
        continue;
      lost.add(taskId);
      blocked.push(taskId);
    }
  }
  return blocked;
};

const startable = (tasks: readonly SchedulableTask[], states: States): string[] => {
  const running = tasks.filter(({ taskId }) => states.get(taskId) === 'running');
  let slots = maxRunningTasks - running.filter(({ kind }) => kind !== 'checkpoint').length;
  let isWriting = running.some((task) => task.isWriting);
  const start: string[] = [];
  for (const task of tasks.toSorted((a, b) => a.n - b.n)) {
    const isReady =
      states.get(task.taskId) === 'waiting' && task.deps.every((dep) => states.get(dep) === 'succeeded');
    if (!isReady || (task.isWriting && isWriting)) continue;
    if (task.kind !== 'checkpoint') {
      if (slots === 0) continue;
      slots -= 1;
    }
    isWriting ||= task.isWriting;
    start.push(task.taskId);
  }
  return start;
};

const advance = (tasks: readonly SchedulableTask[], states: States): PlanStep => {
  const cancel = blockedTasks(tasks, states);
  const start = startable(tasks, states);
  const isOpen = start.length > 0 || idsIn(states, 'running').length > 0;
  const hasSucceeded = tasks.every(({ taskId }) => states.get(taskId) === 'succeeded');
  return {
    state: isOpen ? 'active' : hasSucceeded ? 'completed' : 'awaiting-replan',
    start,
    cancel,
    stop: [],
  };
};

/**
 * The next step of a plan. A task starts when all its `deps` have succeeded; a failure cancels the tasks
 * that depend on it, and the plan awaits a new one once the rest has ended. A plan that the person has
 * cancelled ends its tasks.
 */
export const nextPlan = ({ state }: Pick<PlanRow, 'state'>, tasks: readonly SchedulableTask[]): PlanStep => {
  const states = new Map(tasks.map((task) => [task.taskId, task.state]));
  switch (state) {
    case 'active':
      return advance(tasks, states);
    case 'cancelled':
      return { state, start: [], cancel: idsIn(states, 'waiting'), stop: idsIn(states, 'running') };
    case 'completed':
    case 'awaiting-replan':
      return { state, start: [], cancel: [], stop: [] };
    default:
      return state satisfies never;
  }
};
