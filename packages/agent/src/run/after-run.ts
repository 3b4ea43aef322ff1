import type { QueueRow, ThreadRow } from '../rows.ts';
import { remove } from '../store-port.ts';
import type { RunContext } from '../engine/context.ts';
import { agentLimits } from '../engine/limits.ts';
import { openRunOf, threadOf } from '../engine/load.ts';
import { startRun } from './start-run.ts';
import { nameThread } from '../step/upkeep.ts';

interface Ended {
  userId: string;
  threadId: string;
  runId: string;
}

const firstQueued = async (ctx: RunContext, { userId, id }: ThreadRow): Promise<QueueRow | undefined> =>
  (await ctx.store.find('agentQueue', { userId, threadId: id }, { orderBy: 'position', limit: 1 }))[0];

/** The message that waits longest runs next. */
export const runQueued = async (ctx: RunContext, thread: ThreadRow, model: string): Promise<boolean> => {
  if (thread.queuePaused) return false;
  const queued = await firstQueued(ctx, thread);
  if (!queued) return false;
  const { id, text, files } = queued;
  const run = await startRun(ctx, thread, {
    model,
    timeZone: null,
    message: { id, text, files, source: 'queued' },
    writes: [remove('agentQueue', { userId: thread.userId, threadId: thread.id, id })],
  });
  return run !== null;
};

/** Whether the main agent has not seen the newest note. */
const hasNews = async (ctx: RunContext, { userId, id: threadId }: ThreadRow): Promise<boolean> => {
  const where = { userId, threadId, history: 'main' };
  const [last] = await ctx.store.find('agentMessages', where, { orderBy: 'seq', descending: true, limit: 1 });
  return last?.source === 'note';
};

/** Runs that followed since the person's last message or wish to continue. */
const followUpsOf = async (ctx: RunContext, { userId, id: threadId }: ThreadRow): Promise<number> => {
  const runs = await ctx.store.find(
    'agentRuns',
    { userId, threadId },
    { orderBy: 'startedAt', descending: true, limit: agentLimits.followUps + 1 },
  );
  const first = runs.findIndex(({ kind }) => kind !== 'follow-up');
  return first === -1 ? runs.length : first;
};

const continueThread = async (ctx: RunContext, { userId, threadId }: Ended): Promise<void> => {
  const thread = await threadOf(ctx, userId, threadId);
  if (!thread || (await openRunOf(ctx, userId, threadId))) return;
  const info = await ctx.model.info('main');
  if (info === null) return;
  if (await runQueued(ctx, thread, info.id)) return;
  if (!(await hasNews(ctx, thread)) || (await followUpsOf(ctx, thread)) >= agentLimits.followUps) return;
  await startRun(ctx, thread, { model: info.id, timeZone: null, message: null });
};

/** What follows the end of a run or of a background task: the queue, a follow-up run, a title. */
export const afterRun = (ctx: RunContext, ended: Ended): void => {
  continueThread(ctx, ended).catch(ctx.onError);
  ctx.tidy(`title ${ended.threadId}`, (signal) => nameThread(ctx, ended, signal));
};
