import { mainHistory, type QueueRow, type ThreadRow } from '../rows.ts';
import { remove, update, type Write } from '../store-port.ts';
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

/** Takes a message from the queue; the transaction fails where it was removed or taken meanwhile. */
export const takeQueued = ({ userId, threadId, id, position }: QueueRow): Write[] => [
  update('agentQueue', { userId, threadId, id }, { position }),
  remove('agentQueue', { userId, threadId, id }),
];

/** The message that waits longest runs next. */
export const runQueued = async (ctx: RunContext, thread: ThreadRow, model: string): Promise<boolean> => {
  if (thread.queuePaused) return false;
  for (let queued = await firstQueued(ctx, thread); queued;) {
    const { id, text, files } = queued;
    const message = { id, text, files, source: 'queued' as const };
    const run = await startRun(ctx, thread, {
      model,
      timeZone: null,
      message,
      writes: takeQueued(queued),
    });
    if (run || (await openRunOf(ctx, thread.userId, thread.id))) return true;
    const next = await firstQueued(ctx, thread);
    queued = next?.id === id ? undefined : next;
  }
  return false;
};

/** Whether the main agent has not seen the newest note. */
const hasNews = async (ctx: RunContext, { userId, id: threadId }: ThreadRow): Promise<boolean> => {
  const where = { userId, threadId, history: mainHistory };
  const [last] = await ctx.store.find('agentMessages', where, { orderBy: 'seq', descending: true, limit: 1 });
  return last?.source === 'note';
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

/** Starts what waits in a thread without an open run: a queued message, else a run for its news. */
export const continueThread = async (
  ctx: RunContext,
  { userId, threadId }: Pick<Ended, 'userId' | 'threadId'>,
): Promise<void> => {
  const thread = await threadOf(ctx, userId, threadId);
  if (!thread || (await openRunOf(ctx, userId, threadId))) return;
  const info = await ctx.model.info('main');
  if (info === null) return;
  if (await runQueued(ctx, thread, info.id)) return;
  if (!(await hasNews(ctx, thread)) || !(await mayFollow(ctx, thread))) return;
  await startRun(ctx, thread, { model: info.id, timeZone: null, message: null });
};

/** What follows the end of a run or of a background task: the queue, a follow-up run, a title. */
export const afterRun = (ctx: RunContext, ended: Ended): void => {
  continueThread(ctx, ended).catch(ctx.onError);
  ctx.tidy(`title ${ended.userId} ${ended.threadId}`, (signal) => nameThread(ctx, ended, signal));
};
