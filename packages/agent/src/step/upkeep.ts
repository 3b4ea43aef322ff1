import type { Usage } from '@drawbridge/contracts/agent/events';
import { agentLimits } from '../engine/limits.ts';
import { noStep, type MemoryContext, type MemoryStep } from '../memory/helper.ts';
import type { History } from '../memory/history.ts';
import { isObservationDue, observeWhenDue } from '../memory/observe.ts';
import { isReflectionDue, reflectWhenDue } from '../memory/reflect.ts';
import { makeTitle } from '../memory/title.ts';
import type { RunRow } from '../rows.ts';
import type { Write } from '../store-port.ts';
import type { RunContext, Work } from '../engine/context.ts';
import { historyOf } from '../engine/load.ts';
import type { TraceParent } from '../ports/tracing.ts';
import type { ThreadKey } from '../thread-key.ts';
import { traceMemory } from '../tracing/trace-memory.ts';
import { usageWrites } from './usage.ts';

/** What the helper model used counts for the run. */
export const helperUsage = async (
  ctx: RunContext,
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

const isWorthIt = ({ writes, usage }: MemoryStep) => writes.length > 0 || usage !== null;

/** Makes and stores one step of the helper model; none once the user's day is spent. */
const helperStep = async (
  ctx: RunContext,
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
  ctx: RunContext,
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
  ctx: RunContext,
  { userId, threadId, runId }: ThreadKey & { runId: string },
  signal: AbortSignal,
): Promise<void> => {
  const [main] = await ctx.store.find('agentAgents', { userId, threadId, runId, kind: 'main' });
  const parent = { runId, parentId: main?.id ?? null, attributes: { 'gen_ai.conversation.id': threadId } };
  const run = (trace: TraceParent) => makeTitle(userId, { threadId, runId }, { ...ctx, signal, trace });
  const make = () => traceMemory(ctx, { name: 'title', parent }, { run, isWorthIt });
  await helperStep(ctx, { userId, id: runId }, { make, signal });
};
