import type { Usage } from '@drawbridge/contracts/agent/events';
import { type MemoryContext, type MemoryStep, noStep } from '../../memory/helper.ts';
import type { History } from '../../memory/history.ts';
import { isObservationDue, observeWhenDue } from '../../memory/observe.ts';
import { isReflectionDue, reflectWhenDue } from '../../memory/reflect.ts';
import { makeTitle } from '../../memory/title.ts';
import { usageWrites } from '../../memory/usage.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import type { TraceParent } from '../../ports/tracing.ts';
import { agentLimits } from '../../rows/limits.ts';
import { historyOf, type Work } from '../../rows/load.ts';
import type { RunRow } from '../../rows/rows.ts';
import type { Write } from '../../rows/store.ts';
import type { RunKey } from '../effects.ts';
import type { StepContext } from './step-context.ts';

/** What the helper model used counts for the run. */
export const helperUsage = async (
  ctx: Pick<AgentNeeds, 'model'>,
  run: Pick<RunRow, 'userId' | 'id'>,
  usage: Usage | null,
): Promise<Write[]> =>
  usage === null ? [] : usageWrites(run, usage, { prices: (await ctx.model.info('helper'))?.prices ?? null });

/** Where the spans of an agent's work belong. */
export const traceOf = ({ agent }: Work): TraceParent => ({
  runId: agent.runId,
  parentId: agent.id,
  attributes: { 'gen_ai.conversation.id': agent.threadId },
});

type TraceNeeds = Pick<AgentNeeds, 'clock' | 'newId' | 'tracer'>;

/** Runs work on memory; its span is recorded where `isWorthIt`, and its model calls are below it. */
export const traceMemory = async <Result>(
  { clock, newId, tracer }: TraceNeeds,
  { name, parent }: { name: string; parent: TraceParent },
  { run, isWorthIt }: { run(trace: TraceParent): Promise<Result>; isWorthIt(result: Result): boolean },
): Promise<Result> => {
  const id = newId('memory_');
  const startedAt = clock.now();
  const result = await run({ ...parent, parentId: id });
  if (isWorthIt(result))
    tracer.record({
      ...parent,
      operation: 'memory',
      subject: name,
      id,
      startedAt,
      endedAt: clock.now(),
      // Work that no model asked for: this name distinguishes it from tool calls for receivers.
      attributes: { ...parent.attributes, 'drawbridge.internal_tool': name },
    });
  return result;
};

const isWorthIt = ({ writes, usage }: MemoryStep) => writes.length > 0 || usage !== null;

/** Makes and stores one step of the helper model; none once the user's day is spent. */
const helperStep = async (
  ctx: Pick<StepContext, 'day' | 'model' | 'store'>,
  run: Pick<RunRow, 'userId' | 'id'>,
  { make, signal }: { make: () => Promise<MemoryStep>; signal: AbortSignal },
): Promise<MemoryStep> => {
  const entry = await ctx.day.enter(run.userId, 'helper', signal);
  if (entry === null || entry.problem !== null) return noStep;
  try {
    const step = await make();
    const all = [...step.writes, ...(await helperUsage(ctx, run, step.usage))];
    if (all.length > 0) await ctx.store.commit(all, 'kept');
    return step;
  } finally {
    entry.leave();
  }
};

/**
 * Notes in place of older messages, and shorter notes in place of long ones, where the history that the last
 * step was made from is long enough for them.
 */
export const keepNotes = async (
  ctx: StepContext,
  { work, history }: { work: Work; history: History },
  signal: AbortSignal,
): Promise<void> => {
  const info = await ctx.model.info('main');
  if (info === null) return;
  const { observerTokens, reflectorTokens } = await ctx.config();
  const { agent } = work;
  const id = { threadId: agent.threadId, history: historyOf(agent), info };
  const key = JSON.stringify([agent.userId, id.threadId, id.history]);
  if (ctx.clock.now() < (ctx.notesAfter.get(key) ?? 0)) return;
  const take = async (name: string, make: (memory: MemoryContext) => Promise<MemoryStep>) => {
    const run = (trace: TraceParent) => make({ ...ctx, signal, trace });
    const traced = () => traceMemory(ctx, { name, parent: traceOf(work) }, { run, isWorthIt });
    const step = await helperStep(ctx, work.run, { make: traced, signal });
    if (step !== noStep && step.writes.length === 0)
      ctx.notesAfter.set(key, ctx.clock.now() + agentLimits.notesRestMs);
  };
  const observing = { ...id, observerTokens };
  if (isObservationDue(history, observing))
    await take('observe', (memory) => observeWhenDue(agent.userId, observing, memory));
  const reflecting = { ...id, reflectorTokens };
  if (isReflectionDue(history, reflecting))
    await take('reflect', (memory) => reflectWhenDue(agent.userId, reflecting, memory));
};

/** A title for a thread without one. */
export const nameThread = async (
  ctx: StepContext,
  { userId, threadId, runId }: RunKey,
  signal: AbortSignal,
): Promise<void> => {
  const [main] = await ctx.store.find('agentAgents', { userId, threadId, runId, kind: 'main' });
  const parent = { runId, parentId: main?.id ?? null, attributes: { 'gen_ai.conversation.id': threadId } };
  const run = (trace: TraceParent) => makeTitle(userId, { threadId, runId }, { ...ctx, signal, trace });
  const make = () => traceMemory(ctx, { name: 'title', parent }, { run, isWorthIt });
  await helperStep(ctx, { userId, id: runId }, { make, signal });
};
