import type { Usage } from '@drawbridge/contracts/agent/events';
import { agentLimits } from '../engine/limits.ts';
import { noStep, type MemoryContext, type MemoryStep } from '../memory/helper.ts';
import { observeWhenDue } from '../memory/observe.ts';
import { reflectWhenDue } from '../memory/reflect.ts';
import { makeTitle } from '../memory/title.ts';
import type { RunRow } from '../rows.ts';
import { increase, type Write } from '../store-port.ts';
import type { RunContext, Work } from '../engine/context.ts';
import { historyOf } from '../engine/load.ts';
import { costOf } from './usage.ts';

/** What the helper model used counts for the run. */
export const usageWrites = async (
  ctx: RunContext,
  run: Pick<RunRow, 'userId' | 'id'>,
  usage: Usage | null,
): Promise<Write[]> => {
  if (usage === null) return [];
  const { inputTokens, outputTokens, cachedTokens } = usage;
  const cost = costOf(usage, (await ctx.model.info('helper'))?.prices ?? null);
  const add = { inputTokens, outputTokens, cachedTokens, ...(cost !== null && { costMicro: cost }) };
  return [increase('agentRuns', { userId: run.userId, id: run.id }, add)];
};

const commitStep = async (
  ctx: RunContext,
  run: Pick<RunRow, 'userId' | 'id'>,
  { writes, usage }: MemoryStep,
) => {
  const all = [...writes, ...(await usageWrites(ctx, run, usage))];
  if (all.length > 0) await ctx.store.commit(all, 'kept');
};

/** Notes in place of older messages, and shorter notes in place of long ones. */
export const keepNotes = async (ctx: RunContext, work: Work, signal: AbortSignal): Promise<void> => {
  const info = await ctx.model.info('main');
  if (info === null) return;
  const { observerTokens, reflectorTokens } = await ctx.config();
  const { agent } = work;
  const id = { threadId: agent.threadId, history: historyOf(agent), info };
  const memory: MemoryContext = { ...ctx, signal };
  const key = JSON.stringify([agent.userId, id.threadId, id.history]);
  if (ctx.clock.now() < (ctx.notesAfter.get(key) ?? 0)) return;
  const steps = [
    () => observeWhenDue(agent.userId, { ...id, observerTokens }, memory),
    () => reflectWhenDue(agent.userId, { ...id, reflectorTokens }, memory),
  ];
  for (const take of steps) {
    const step = await take();
    if (step !== noStep && step.writes.length === 0)
      ctx.notesAfter.set(key, ctx.clock.now() + agentLimits.notesRestMs);
    await commitStep(ctx, work.run, step);
  }
};

/** A title for a thread without one. */
export const nameThread = async (
  ctx: RunContext,
  { userId, threadId, runId }: { userId: string; threadId: string; runId: string },
  signal: AbortSignal,
): Promise<void> => {
  const step = await makeTitle(userId, { threadId, runId }, { ...ctx, signal });
  await commitStep(ctx, { userId, id: runId }, step);
};
