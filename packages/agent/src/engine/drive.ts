import { CodedError } from '@drawbridge/kit';
import { isDue, nextCalls, nextStep } from '../machines/next-agent.ts';
import { ModelError } from '../ports/model.ts';
import { errors } from '../rows/errors.ts';
import { eventOf } from '../rows/events.ts';
import { callsOf, openCallsOf, runtimeOf, type Work, workOf } from '../rows/load.ts';
import type { RunRow, ToolCallRow } from '../rows/rows.ts';
import { openRunStates } from '../rows/states.ts';
import { increase, update, type Write } from '../rows/store.ts';
import { delegate, sendToSubAgent } from '../tools/core/delegate.ts';
import { type ToolSet, toolSetOf } from '../tools/tool-set.ts';
import { askToContinue, budgetProblem } from '../turns/budget.ts';
import { endOf } from '../turns/ends/end-agent.ts';
import { resumeCalls } from '../turns/ends/resume-calls.ts';
import { closeAgent, closeCalls, openAsksOf, withdrawAsks } from '../turns/ends/stop.ts';
import { nextTurn } from '../turns/runtimes/next-turn.ts';
import { turnToolsOf } from '../turns/runtimes/turn-tools.ts';
import { runCall } from '../turns/steps/act.ts';
import { takeCorrections, takeTurn } from '../turns/steps/incoming.ts';
import { type StoredStep, think } from '../turns/steps/think.ts';
import type { RunContext } from './context.ts';

interface Move {
  to: 'ready' | 'waiting' | 'acting';
  /** The calls of its newest step. */
  calls: readonly ToolCallRow[];
}

const delegating = new Set([delegate.name, sendToSubAgent.name]);

/** The end of a wait for the person: sub-agents work while their parent waits. */
const waitOf = ({ agent, run }: Work, calls: readonly ToolCallRow[], now: number): Write[] =>
  agent.kind !== 'main' || agent.state !== 'waiting' || calls.some(({ tool }) => delegating.has(tool))
    ? []
    : [increase('agentRuns', { userId: run.userId, id: run.id }, { waitedMs: now - agent.lastActiveAt })];

/** Moves an agent to another state; false if another transition came first. */
const move = async (ctx: RunContext, work: Work, { to, calls }: Move): Promise<boolean> => {
  const { agent, run } = work;
  const { userId, id, threadId, state } = agent;
  const now = ctx.clock.now();
  const runState = to === 'waiting' ? 'suspended' : 'active';
  const isWritten = await ctx.store.commit(
    [
      update('agentAgents', { userId, id, state }, { state: to, lastActiveAt: now }),
      ...(agent.kind === 'main' && run.state !== runState
        ? [update('agentRuns', { userId, id: run.id, state: openRunStates }, { state: runState })]
        : []),
      ...waitOf(work, calls, now),
    ],
    'kept',
  );
  if (isWritten) ctx.bus.changed(userId, threadId);
  if (isWritten && to === 'waiting') await ctx.perform([{ type: 'runWaits' }]);
  return isWritten;
};

type RunRuntime = NonNullable<RunRow['runtime']>;

const failedText = 'The run ended during this call. It may have run.';

/** Ends an agent that cannot continue; a main agent's run ends with it. */
const failAgent = async (
  ctx: RunContext,
  { agent }: Work,
  { code, message, retryable }: { code: string; message: string; retryable: boolean },
): Promise<void> => {
  const event = eventOf(ctx, agent, 'error', { content: message, code, retryable });
  const failure = { code, retryable };
  const close = { outcome: 'error', error: message, failure, text: failedText, writes: [event] } as const;
  await ctx.perform(await closeAgent(ctx, agent, close));
};

const retryableKinds = new Set(['rate', 'overloaded', 'network', 'silent', 'cut']);

const onModelError = (ctx: RunContext, work: Work, error: ModelError): Promise<void> => {
  const retryable = retryableKinds.has(error.kind);
  const code = retryable ? 'MODEL_UNAVAILABLE' : 'MODEL_REFUSED';
  return failAgent(ctx, work, { code, message: error.message, retryable });
};

const spent = (message: string) => ({ code: 'BUDGET_SPENT', message, retryable: false });

/** A spent budget ends the agent, or asks the person; false while there is budget left. */
const stopSpent = async (ctx: RunContext, work: Work): Promise<boolean> => {
  const problem = budgetProblem(work, ctx.clock.now());
  if (problem === null) return false;
  if (work.agent.kind === 'main') await ctx.perform(await askToContinue(ctx, work, problem));
  else await failAgent(ctx, work, spent(problem));
  return true;
};

/** The step that was stored, where it has calls to run. */
const thinkOrEnd = async (
  ctx: RunContext,
  work: Work,
  step: { isLast: boolean; signal: AbortSignal },
): Promise<StoredStep | null> => {
  if (await takeCorrections(ctx, work)) return null;
  const entry = await ctx.day.enter(work.run.userId, 'main', step.signal);
  if (entry === null) return null;
  if (entry.problem !== null) {
    await failAgent(ctx, work, spent(entry.problem));
    return null;
  }
  try {
    if (await stopSpent(ctx, work)) return null;
    const tools = await toolSetOf(ctx, work);
    const thought = await think(ctx, { work, tools, info: entry.info, ...step });
    await ctx.perform(thought.effects);
    return thought.step;
  } catch (error) {
    if (step.signal.aborted) return null;
    if (!(error instanceof ModelError)) throw error;
    await onModelError(ctx, work, error);
    return null;
  } finally {
    entry.leave();
  }
};

/** Actions that a coding agent has left without an end. */
const unended = {
  outcome: 'stopped',
  text: 'The coding agent did not say how this ended.',
} as const;

/** The turn of a coding agent that was begun, where one answers the run; null once it has ended. */
const turnOrEnd = async (ctx: RunContext, work: Work, runtime: RunRuntime): Promise<StoredStep | null> => {
  const next = await nextTurn(ctx, work, runtime);
  switch (next.do) {
    case 'run':
      return next.step;
    case 'look again':
      return null;
    case 'fail':
      await failAgent(ctx, work, next.failure);
      return null;
    case 'complete': {
      const { writes, effects } = await endOf(ctx, work, { outcome: 'completed', result: next.result });
      const asks = await openAsksOf(ctx, work.agent);
      const left = closeCalls(ctx, await openCallsOf(ctx, work.agent), { ...unended, asks });
      if (await ctx.store.commit([...left, ...withdrawAsks(ctx, asks), ...writes], 'synced'))
        await ctx.perform(effects);
      return null;
    }
    default:
      return next satisfies never;
  }
};

const toolsOf = (ctx: RunContext, work: Work): ToolSet | Promise<ToolSet> => {
  const runtime = runtimeOf(work);
  return runtime === null ? toolSetOf(ctx, work) : turnToolsOf(runtime);
};

const mayWork = async (ctx: RunContext, work: Work): Promise<boolean> => {
  const { userId } = work.thread;
  if (!(await ctx.isUser(userId))) {
    await failAgent(ctx, work, { code: 'NOT_FOUND', message: 'The account is gone.', retryable: false });
    return false;
  }
  const { off } = await ctx.config();
  if (off === 'module' || (off !== null && runtimeOf(work) === null)) {
    const message = 'The agent was switched off.';
    await failAgent(ctx, work, { code: 'AGENT_OFF', message, retryable: false });
    return false;
  }
  return true;
};

const isOpen = ({ state }: ToolCallRow) => state !== 'ended';

/** Runs the calls of a step that come next. */
const runCalls = async (
  ctx: RunContext,
  { work, calls, tools }: StoredStep,
  { due, signal }: { due: readonly ToolCallRow[]; signal: AbortSignal },
): Promise<void> => {
  const running = { work, tools, isLastOpen: calls.filter(isOpen).length === 1, signal };
  const run = async (call: ToolCallRow) => ctx.perform(await runCall(ctx, { ...running, call }));
  await Promise.all(due.map(run));
};

/** One transition of an agent; false when it waits, or has ended. */
const advance = async (ctx: RunContext, work: Work, signal: AbortSignal): Promise<boolean> => {
  const isThinking = work.agent.state === 'ready';
  const calls = isThinking ? [] : await callsOf(ctx, work.agent);
  const tools = calls.some(isDue) ? await toolsOf(ctx, work) : null;
  const next = nextStep({ ...work, calls, canRunBeside: (call) => tools?.canRunBeside(call) === true });
  switch (next.do) {
    case 'nothing':
      return false;
    case 'wait':
      return !(await move(ctx, work, { to: 'waiting', calls }));
    case 'ready':
      await move(ctx, work, { to: 'ready', calls });
      return true;
    case 'think':
      if (!(await mayWork(ctx, work))) return false;
      if (!(await takeTurn(ctx, work))) return !(await move(ctx, work, { to: 'waiting', calls }));
      const runtime = runtimeOf(work);
      if (runtime !== null && (await takeCorrections(ctx, work))) return true;
      const step =
        runtime === null
          ? await thinkOrEnd(ctx, work, { isLast: next.isLast, signal })
          : await turnOrEnd(ctx, work, runtime);
      if (step === null || signal.aborted) return true;
      if (!(await mayWork(ctx, step.work))) return false;
      // Its calls begin with the rows as they were written: they are not read again.
      await runCalls(ctx, step, { due: nextCalls([...step.calls], step.tools.canRunBeside), signal });
      return true;
    case 'run':
      if (!(await mayWork(ctx, work))) return false;
      if (work.agent.state === 'waiting' && !(await move(ctx, work, { to: 'acting', calls }))) return true;
      if (tools === null) throw errors.internal({ message: 'An agent with open calls has tools' });
      await runCalls(ctx, { work, calls, tools }, { due: next.calls, signal });
      return true;
    default:
      return next satisfies never;
  }
};

/** An error of our own, or a row that cannot be read, ends the agent: nothing else would continue it. */
const failUnexpected = async (ctx: RunContext, work: Work, error: unknown): Promise<void> => {
  ctx.onError(error);
  const code = error instanceof CodedError ? error.code : 'INTERNAL';
  const message = error instanceof CodedError ? error.message : 'An unexpected error ended the run.';
  await failAgent(ctx, work, { code, message, retryable: true });
};

/** Runs an agent until it ends, or waits for something that wakes it again. */
export const drive = async (
  ctx: RunContext,
  { userId, agentId }: { userId: string; agentId: string },
  signal: AbortSignal,
): Promise<void> => {
  await resumeCalls(ctx, { userId, agentId });
  while (!signal.aborted) {
    const work = await workOf(ctx, userId, agentId);
    if (!work) return;
    try {
      if (!(await advance(ctx, work, signal))) return;
    } catch (error) {
      if (signal.aborted) return;
      return failUnexpected(ctx, work, error);
    }
  }
};
