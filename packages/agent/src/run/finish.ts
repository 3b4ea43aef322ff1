import type { RunContext, Work } from '../engine/context.ts';
import { endAgent, endParentCall, endRun, type AgentEnd } from './end-agent.ts';
import { update, type Write } from '../store-port.ts';
import { afterRun } from './after-run.ts';
import { noteOfEnd } from './notes.ts';
import { planTaskOf } from '../tasks/plan-task-id.ts';

export interface Ending {
  writes: Write[];
  /** Runs once the writes are stored. */
  after(): void;
}

const nothing: Ending = { writes: [], after: () => {} };

/** The parent's call of a delegate ends with it, and the parent goes on. */
const endDelegate = async (ctx: RunContext, { agent }: Work, end: AgentEnd): Promise<Ending> => {
  const where = { userId: agent.userId, id: agent.parentCallId ?? '', state: 'waiting' as const };
  const [call] = await ctx.store.find('agentToolCalls', where);
  if (!call) return nothing;
  return {
    writes: endParentCall(ctx, call, end),
    after: () => ctx.wake(call.userId, call.agentId),
  };
};

/** A task of a plan ends with its agent, and others may start. */
const endPlanned = async (ctx: RunContext, { agent }: Work, end: AgentEnd): Promise<Ending> => {
  const { planId, taskId } = planTaskOf(agent.planTaskId);
  const where = { userId: agent.userId, planId, taskId };
  const [task] = await ctx.store.find('agentPlanTasks', { ...where, state: 'running' });
  if (!task) return nothing;
  const isDone = end.outcome === 'completed' && task.verdict !== 'failed';
  const state = isDone ? 'succeeded' : end.outcome === 'cancelled' ? 'cancelled' : 'failed';
  const result = end.error === undefined ? end.result : `${end.error} ${end.result}`.trim();
  return {
    writes: [update('agentPlanTasks', { ...where, state: 'running' }, { state, result })],
    after: () => ctx.tickPlan(agent.userId, planId),
  };
};

/** After Stop no run follows for news: the person says how it goes on. */
const endMain = (ctx: RunContext, { run, thread }: Work, end: AgentEnd): Ending => ({
  writes: endRun(ctx, run, { status: end.outcome, reason: end.error }),
  after: () => {
    const { userId, id: threadId } = thread;
    ctx.lanes.ended({ userId, threadId, runId: run.id });
    if (end.outcome !== 'cancelled') afterRun(ctx, { userId, threadId, runId: run.id });
  },
});

const endBackground = async (ctx: RunContext, work: Work, end: AgentEnd): Promise<Ending> => {
  const { thread, run } = work;
  if (end.outcome === 'cancelled') return nothing;
  return {
    writes: await noteOfEnd(ctx, work, end),
    after: () => afterRun(ctx, { userId: thread.userId, threadId: thread.id, runId: run.id }),
  };
};

/** Everything that ends with an agent, in one transaction. */
export const endOf = async (ctx: RunContext, work: Work, end: AgentEnd): Promise<Ending> => {
  const own = endAgent(ctx, work.agent, end);
  const parts = async (): Promise<Ending> => {
    switch (work.agent.kind) {
      case 'main':
        return endMain(ctx, work, end);
      case 'delegate':
        return endDelegate(ctx, work, end);
      case 'background':
        return endBackground(ctx, work, end);
      case 'planned':
        return endPlanned(ctx, work, end);
      default:
        return work.agent.kind satisfies never;
    }
  };
  const { writes, after } = await parts();
  return { writes: [...own, ...writes], after };
};
