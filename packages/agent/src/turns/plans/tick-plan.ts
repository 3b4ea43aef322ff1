import { toolsOfTask } from '@drawbridge/contracts/agent/plan-tools';
import { cutText } from '@drawbridge/kit';
import { nextPlan, type SchedulableTask } from '../../machines/next-plan.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import { markOf } from '../../prompt/result.ts';
import { untrusted } from '../../prompt/untrusted.ts';
import { planTaskId } from '../../rows/keys.ts';
import { agentLimits } from '../../rows/limits.ts';
import { runOf, threadOf, type Work } from '../../rows/load.ts';
import type { PlanRow, PlanTaskRow } from '../../rows/rows.ts';
import { update, type Write } from '../../rows/store.ts';
import { plannedTools } from '../../tools/outside/planned-tools.ts';
import { planEvent, planViewOf } from '../../tools/plans/plan-rows.ts';
import { newSubAgent } from '../../tools/plans/sub-agents.ts';
import { afterRun, type TurnEffect } from '../effects.ts';
import { noteFor } from '../ends/notes.ts';

/** The main agent that proposed the plan, as the parent of its tasks. */
const workOfPlan = async (ctx: Pick<AgentNeeds, 'store'>, plan: PlanRow): Promise<Work | undefined> => {
  const { userId, threadId, runId } = plan;
  const [agent] = await ctx.store.find('agentAgents', { userId, runId, kind: 'main' });
  const [thread, run] = await Promise.all([threadOf(ctx, userId, threadId), runOf(ctx, userId, runId)]);
  return thread && run && agent && { thread, run, agent };
};

/** The tools of a task, as the person has seen them. */
const toolsFor = (task: PlanTaskRow, all: ReadonlySet<string>): string[] => {
  const tools = toolsOfTask(task);
  return [
    ...(tools === 'all' ? all : tools),
    ...(task.kind === 'research' ? [] : ['report-verification-verdict']),
  ];
};

const resultLength = 2_000;

/** What a task has given, as data. */
const shownResult = ({ run }: Work, { taskId, result }: PlanTaskRow): string =>
  untrusted(cutText(result, resultLength), { source: `task ${taskId}`, mark: markOf(run) });

/** The results of the tasks that a task depends on. */
const depsText = (work: Work, { deps }: PlanTaskRow, tasks: ReadonlyMap<string, PlanTaskRow>): string[] => {
  const done = deps.flatMap((id) => tasks.get(id) ?? []).filter(({ result }) => result !== '');
  if (done.length === 0) return [];
  return [`Results of earlier tasks:\n${done.map((task) => shownResult(work, task)).join('\n')}`];
};

type PlanNeeds = Pick<AgentNeeds, 'store' | 'clock' | 'newId'> & Parameters<typeof plannedTools>[0];

const startTask = async (
  ctx: PlanNeeds,
  work: Work,
  { task, tasks }: { task: PlanTaskRow; tasks: ReadonlyMap<string, PlanTaskRow> },
) => {
  const { planId, taskId, title, kind, spec, userId } = task;
  const { tools } = await plannedTools(ctx, work);
  const domain = ctx.domains.find(({ id }) => kind === `domain:${id}`);
  const { id, writes } = newSubAgent(ctx, work, {
    kind: 'planned',
    role: kind,
    title,
    instructions: spec,
    material: [...depsText(work, task, tasks), ...(domain ? [domain.instructions] : [])],
    tools: toolsFor(task, tools),
    maxSteps: kind === 'research' ? agentLimits.researchSteps : agentLimits.plannedSteps,
    parentCallId: null,
    planTaskId: planTaskId(planId, taskId),
  });
  const running = update(
    'agentPlanTasks',
    { userId, planId, taskId, state: 'waiting' },
    { state: 'running', agentId: id },
  );
  return { id, writes: [running, ...writes] };
};

const noteText = (work: Work, plan: PlanRow, tasks: readonly PlanTaskRow[]): string => {
  const lines = tasks.flatMap((task) => [
    `${task.taskId} "${task.title}": ${task.state}.`,
    ...(task.result === '' ? [] : [shownResult(work, task)]),
  ]);
  const what =
    plan.state === 'completed'
      ? 'has completed. Tell the person the result.'
      : 'has stopped because a task failed. Say what failed, and propose a new plan for the rest if that can help.';
  return [`[Plan "${plan.title}" ${what}]`, ...lines].join('\n');
};

const checkpointNote = ({ taskId, title, spec, planId }: PlanTaskRow): string => {
  const id = planTaskId(planId, taskId);
  return `[Checkpoint ${id} "${title}" is reached. Judge it, then call report-verification-verdict with task "${id}".]\n${spec}`;
};

const schedulable = (tasks: readonly PlanTaskRow[]): SchedulableTask[] =>
  tasks.map((task) => ({ ...task, isWriting: task.kind === 'machine' || task.kind.startsWith('domain:') }));

/** Starts what can start, cancels what cannot, and says so when the plan has ended. One transaction. */
export const tickPlan = async (ctx: PlanNeeds, userId: string, planId: string): Promise<TurnEffect[]> => {
  const [plan] = await ctx.store.find('agentPlans', { userId, id: planId });
  const work = plan && (await workOfPlan(ctx, plan));
  if (!plan || !work || (plan.state !== 'active' && plan.state !== 'cancelled')) return [];
  const tasks = await ctx.store.find('agentPlanTasks', { userId, planId }, { orderBy: 'n' });
  const step = nextPlan(plan, schedulable(tasks));
  const byId = new Map(tasks.map((task) => [task.taskId, task]));
  const started: string[] = [];
  const writes: Write[] = [];
  const notes: string[] = [];
  for (const taskId of step.start) {
    const task = byId.get(taskId);
    if (!task) continue;
    if (task.kind === 'checkpoint') {
      writes.push(
        update('agentPlanTasks', { userId, planId, taskId, state: 'waiting' }, { state: 'running' }),
      );
      notes.push(checkpointNote(task));
      byId.set(taskId, { ...task, state: 'running' });
    } else {
      const { id, writes: own } = await startTask(ctx, work, { task, tasks: byId });
      started.push(id);
      writes.push(...own);
      byId.set(taskId, { ...task, state: 'running', agentId: id });
    }
  }
  // A running task is ended by its agent; a checkpoint has none.
  const checkpoints = step.stop.filter((taskId) => byId.get(taskId)?.kind === 'checkpoint');
  for (const taskId of [...step.cancel, ...checkpoints]) {
    const task = byId.get(taskId);
    const where = { userId, planId, taskId, state: ['waiting', 'running'] as const };
    writes.push(update('agentPlanTasks', where, { state: 'cancelled' }));
    if (task) byId.set(taskId, { ...task, state: 'cancelled' });
  }
  const now: PlanRow = { ...plan, state: step.state, updatedAt: ctx.clock.now() };
  const rows = [...byId.values()];
  const hasEnded = plan.state === 'active' && (now.state === 'completed' || now.state === 'awaiting-replan');
  if (hasEnded) notes.push(noteText(work, now, rows));
  writes.push(
    update(
      'agentPlans',
      { userId, id: planId, state: plan.state },
      { state: now.state, updatedAt: now.updatedAt },
    ),
    planEvent(ctx, { ...work.agent, id: null }, { view: planViewOf(now, rows), tasks: work.thread.tasks }),
  );
  if (notes.length > 0) writes.push(await noteFor(ctx, work, { text: notes.join('\n\n') }));
  // Something else was written meanwhile: the plan is read again.
  if (!(await ctx.store.commit(writes, 'synced'))) return [{ type: 'tickPlan', userId, planId }];
  return [
    ...started.map((agentId) => ({ type: 'wake', userId, agentId }) as const),
    ...(notes.length > 0 ? afterRun({ userId, threadId: plan.threadId, runId: plan.runId }) : []),
  ];
};
