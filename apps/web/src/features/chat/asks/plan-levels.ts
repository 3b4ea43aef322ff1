import type { PlanTask } from '@drawbridge/contracts/agent/tasks';

export interface Placed<Task> {
  task: Task;
  /** The length of the longest chain of tasks before it. */
  level: number;
  /** The titles of the tasks that it waits for. */
  after: string[];
}

/** The tasks of a plan, each behind all that it waits for, with its indentation. A cycle ends at level 0. */
export const placedTasks = <Task extends Pick<PlanTask, 'id' | 'title' | 'deps'>>(
  tasks: readonly Task[],
): Placed<Task>[] => {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const levels = new Map<string, number>();
  const levelOf = (task: Task): number => {
    const known = levels.get(task.id);
    if (known !== undefined) return known;
    levels.set(task.id, 0);
    const before = task.deps.flatMap((id) => byId.get(id) ?? []).map(levelOf);
    const level = before.length === 0 ? 0 : Math.max(...before) + 1;
    levels.set(task.id, level);
    return level;
  };
  return tasks
    .map((task) => ({
      task,
      level: levelOf(task),
      after: task.deps.map((id) => byId.get(id)?.title ?? id),
    }))
    .sort((a, b) => a.level - b.level);
};
