import type { EndStatus } from '@drawbridge/contracts/agent/events';
import { cutText } from '@drawbridge/kit';
import type { AgentNeeds } from '../../ports/needs.ts';
import { markOf, prepareResult } from '../../prompt/result.ts';
import { untrusted } from '../../prompt/untrusted.ts';
import { eventOf, runEventOf } from '../../rows/events.ts';
import { planTaskOf } from '../../rows/keys.ts';
import { historyOf, type Work } from '../../rows/load.ts';
import type { AgentFailure, AgentRow, RunRow, ToolCallRow } from '../../rows/rows.ts';
import { openAgentStates, openRunStates } from '../../rows/states.ts';
import { update, type Write } from '../../rows/store.ts';
import { afterRun, type Ending, type TurnEffect } from '../effects.ts';
import { endCall } from './end-call.ts';
import { noteFor } from './notes.ts';

const longestResult = 8_000;

export interface AgentEnd {
  outcome: EndStatus;
  result: string;
  error?: string;
  failure?: AgentFailure;
}

/** Ends an agent once. */
export const endAgent = (ctx: Pick<AgentNeeds, 'clock'>, agent: AgentRow, end: AgentEnd): Write[] => {
  const { userId, id, role } = agent;
  const { outcome, error, failure = null } = end;
  const result = cutText(end.result, longestResult);
  const now = ctx.clock.now();
  return [
    update(
      'agentAgents',
      { userId, id, state: openAgentStates },
      { state: 'ended', outcome, result, error: error ?? null, failure, endedAt: now, lastActiveAt: now },
    ),
    eventOf(ctx, agent, 'agent-completed', {
      role,
      status: outcome,
      result,
      ...(error !== undefined && { error }),
    }),
  ];
};

/** What its parent learns of a delegate. */
const endParentCall = (
  ctx: Pick<AgentNeeds, 'clock'>,
  { call, agent }: { call: ToolCallRow; agent: AgentRow },
  { outcome, result, error }: AgentEnd,
): Write[] => {
  const isDone = outcome === 'completed';
  const text = isDone ? result : `The sub-agent did not finish (${outcome}). ${error ?? ''} ${result}`.trim();
  const source = { source: 'sub-agent', areSecretsMasked: true };
  const prepared = prepareResult({ call, run: { id: call.runId } }, [{ type: 'text', text }], source);
  const id = `[This was the sub-agent ${historyOf(agent)}. It can be asked again.]`;
  return endCall(ctx, call, {
    ...prepared,
    parts: [...prepared.parts, { type: 'text', text: id }],
    outcome: isDone ? 'ok' : 'failed',
    signature: null,
  });
};

export const usageOf = (run: RunRow) => ({
  inputTokens: run.inputTokens,
  outputTokens: run.outputTokens,
  cachedTokens: run.cachedTokens,
  ...(run.costMicro !== null && { costMicro: run.costMicro }),
  ...(run.isEstimated && { estimated: true }),
  ...(run.runtime?.tokens != null && { runtime: { id: run.runtime.id, tokens: run.runtime.tokens } }),
});

/** Ends a run once. */
export const endRun = (
  ctx: Pick<AgentNeeds, 'clock'>,
  run: RunRow,
  { status, reason }: { status: EndStatus; reason?: string | undefined },
): Write[] => [
  update(
    'agentRuns',
    { userId: run.userId, id: run.id, state: openRunStates },
    { state: status, reason: reason ?? null, endedAt: ctx.clock.now() },
  ),
  runEventOf(ctx, run, 'run-finish', {
    status,
    ...(reason !== undefined && { reason }),
    usage: usageOf(run),
  }),
];

const nothing: Ending = { writes: [], effects: [] };

type EndNeeds = Pick<AgentNeeds, 'store' | 'clock' | 'newId'>;

/** The parent's call of a delegate ends with it, and the parent continues. */
const endDelegate = async (ctx: EndNeeds, { agent }: Work, end: AgentEnd): Promise<Ending> => {
  const where = { userId: agent.userId, id: agent.parentCallId ?? '', state: 'waiting' as const };
  const [call] = await ctx.store.find('agentToolCalls', where);
  if (!call) return nothing;
  return {
    writes: endParentCall(ctx, { call, agent }, end),
    effects: [{ type: 'wake', userId: call.userId, agentId: call.agentId }],
  };
};

/** A task of a plan ends with its agent, and others may start. */
const endPlanned = async ({ store }: EndNeeds, { agent }: Work, end: AgentEnd): Promise<Ending> => {
  const { planId, taskId } = planTaskOf(agent.planTaskId);
  const where = { userId: agent.userId, planId, taskId };
  const [task] = await store.find('agentPlanTasks', { ...where, state: 'running' });
  if (!task) return nothing;
  const isDone = end.outcome === 'completed' && task.verdict !== 'failed';
  const state = isDone ? 'succeeded' : end.outcome === 'cancelled' ? 'cancelled' : 'failed';
  const result = end.error === undefined ? end.result : `${end.error} ${end.result}`.trim();
  return {
    writes: [update('agentPlanTasks', { ...where, state: 'running' }, { state, result })],
    effects: [{ type: 'tickPlan', userId: agent.userId, planId }],
  };
};

/** After Stop no run follows for news: the person decides what comes next. */
const endMain = (ctx: EndNeeds, { run, thread }: Work, end: AgentEnd): Ending => {
  const ended = { userId: thread.userId, threadId: thread.id, runId: run.id };
  return {
    writes: endRun(ctx, run, { status: end.outcome, reason: end.error }),
    effects: [{ type: 'runEnded', run: ended }, ...(end.outcome === 'cancelled' ? [] : afterRun(ended))],
  };
};

/** What the main agent reads of a background task. */
const noteOfEnd = async (
  ctx: EndNeeds,
  work: Work,
  { outcome, result, error }: AgentEnd,
): Promise<Write[]> => {
  const { id, title } = work.agent;
  const cause = error === undefined ? '' : ` ${error}`;
  const shown = untrusted(result, { source: `task ${id}`, mark: markOf(work.run) });
  return [
    await noteFor(ctx, work, {
      text: `[Background task ${id} "${title}" ended: ${outcome}.${cause}]\n${shown}`,
    }),
  ];
};

const endBackground = async (ctx: EndNeeds, work: Work, end: AgentEnd): Promise<Ending> => {
  const { thread, run } = work;
  if (end.outcome === 'cancelled') return nothing;
  return {
    writes: await noteOfEnd(ctx, work, end),
    effects: afterRun({ userId: thread.userId, threadId: thread.id, runId: run.id }),
  };
};

/** Turns of the same sub-agent wait for the end of this one. */
const wakeNext = async ({ store }: EndNeeds, agent: AgentRow): Promise<TurnEffect[]> => {
  if (agent.kind === 'main') return [];
  const { userId, threadId, id } = agent;
  const where = { userId, threadId, continues: historyOf(agent), state: openAgentStates };
  const waiting = (await store.find('agentAgents', where)).filter((one) => one.id !== id);
  return waiting.map((one) => ({ type: 'wake', userId, agentId: one.id }));
};

/** Everything that ends with an agent, in one transaction. */
export const endOf = async (ctx: EndNeeds, work: Work, end: AgentEnd): Promise<Ending> => {
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
  const { writes, effects } = await parts();
  return { writes: [...own, ...writes], effects: [...effects, ...(await wakeNext(ctx, work.agent))] };
};
