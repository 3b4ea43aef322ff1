import { mainHistory, type RunRow, type ThreadRow } from '../rows.ts';
import type { RunContext } from '../engine/context.ts';
import { agentLimits } from '../engine/limits.ts';
import { runOf } from '../engine/load.ts';
import { failUnjudged } from '../tasks/checkpoints.ts';
import { nameThread } from '../step/upkeep.ts';
import type { ThreadKey } from '../thread-key.ts';

/** The run that the newest note belongs to, where the main agent has not seen it. */
const newsOf = async (ctx: RunContext, { userId, id: threadId }: ThreadRow): Promise<RunRow | undefined> => {
  const where = { userId, threadId, history: mainHistory };
  const [last] = await ctx.store.find('agentMessages', where, { orderBy: 'seq', descending: true, limit: 1 });
  return last?.source === 'note' ? runOf(ctx, userId, last.runId) : undefined;
};

/** Whether background work may start another run: not after Stop, not after a failure, and not endlessly. */
const mayFollow = async (ctx: RunContext, { userId, id: threadId }: ThreadRow): Promise<boolean> => {
  const runs = await ctx.store.find(
    'agentRuns',
    { userId, threadId },
    { orderBy: 'startedAt', descending: true, limit: agentLimits.followUps + 1 },
  );
  const [newest] = runs;
  if (newest?.state === 'cancelled' || (newest?.kind === 'follow-up' && newest.state === 'error'))
    return false;
  const first = runs.findIndex(({ kind }) => kind !== 'follow-up');
  return (first === -1 ? runs.length : first) < agentLimits.followUps;
};

/**
 * The run whose news another run may tell; it works with the rights of that one. Where the main agent has
 * seen all news, checkpoints that it has not judged fail.
 */
export const followed = async (ctx: RunContext, thread: ThreadRow): Promise<RunRow | undefined> => {
  const news = await newsOf(ctx, thread);
  if (!news) await failUnjudged(ctx, { userId: thread.userId, threadId: thread.id });
  return news && (await mayFollow(ctx, thread)) ? news : undefined;
};

/** What follows the end of a run or of a background task: a waiting message, a follow-up run, a title. */
export const afterRun = (ctx: RunContext, ended: ThreadKey & { runId: string }): void => {
  ctx.lanes.check(ended);
  ctx.tidy(`title ${ended.userId} ${ended.threadId}`, (signal) => nameThread(ctx, ended, signal));
};
