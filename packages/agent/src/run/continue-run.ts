import { errors } from '../errors.ts';
import type { RunContext } from '../engine/context.ts';
import { openRunOf, threadOf } from '../engine/load.ts';
import { refuseTooMany, requireModel } from './send.ts';
import { startRun } from './start-run.ts';

/**
 * A run without a new message, after the newest one of the thread. Throws `notFound`, `agentOff`,
 * `budgetSpent`, `tooManyRuns`, and `runActive` while a run is open.
 */
export const continueRun = async (
  ctx: RunContext,
  { userId, threadId }: { userId: string; threadId: string },
): Promise<{ runId: string }> => {
  const thread = await threadOf(ctx, userId, threadId);
  const newest = { orderBy: 'startedAt', descending: true, limit: 1 } as const;
  const [continued] = await ctx.store.find('agentRuns', { userId, threadId }, newest);
  if (!thread || !continued) throw errors.notFound();
  const model = await requireModel(ctx, userId);
  if (await openRunOf(ctx, userId, threadId)) throw errors.runActive();
  await refuseTooMany(ctx, userId);
  const { timeZone } = continued;
  const run = await startRun(ctx, thread, { model, timeZone, message: null, continued });
  if (!run) throw errors.runActive();
  return { runId: run.id };
};
