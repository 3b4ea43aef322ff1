import type { QueuedMessage } from '@drawbridge/contracts/agent/threads';
import type { Queue, QueuedId } from '../agent.ts';
import { errors } from '../errors.ts';
import type { QueueRow } from '../rows.ts';
import { remove, update } from '../store-port.ts';
import { runQueued, takeQueued } from './after-run.ts';
import type { RunContext } from '../engine/context.ts';
import { openRunOf, threadOf } from '../engine/load.ts';
import { requireModel } from './send.ts';
import { startRun, type NewMessage } from './start-run.ts';
import { steer } from './steer.ts';

const toQueued = ({ id, text, files, createdAt }: QueueRow): QueuedMessage => ({
  id,
  text,
  files,
  createdAt: new Date(createdAt).toISOString(),
});

/** Messages that wait for the open run to end. */
export const createQueue = (ctx: RunContext): Queue => {
  const { store, bus, clock } = ctx;

  const queuedOf = async (userId: string, { threadId, id }: QueuedId): Promise<QueueRow> => {
    const [row] = await store.find('agentQueue', { userId, threadId, id });
    if (!row) throw errors.notFound();
    return row;
  };
  const requireThread = async (userId: string, threadId: string) => {
    const thread = await threadOf(ctx, userId, threadId);
    if (!thread) throw errors.notFound();
    return thread;
  };

  return {
    list: async (userId, threadId) =>
      (await store.find('agentQueue', { userId, threadId }, { orderBy: 'position' })).map(toQueued),
    edit: async (userId, queued, text) => {
      const row = await queuedOf(userId, queued);
      const { threadId } = queued;
      const where = { userId, ...queued };
      if (!(await store.commit([update('agentQueue', where, { text, editedAt: clock.now() })], 'synced')))
        throw errors.notFound();
      bus.changed(userId, threadId);
      return toQueued({ ...row, text });
    },
    remove: async (userId, queued) => {
      await queuedOf(userId, queued);
      await store.commit([remove('agentQueue', { userId, ...queued })], 'synced');
      bus.changed(userId, queued.threadId);
    },
    steer: async (userId, queued) => {
      const { threadId, id } = queued;
      const row = await queuedOf(userId, queued);
      const { text, files } = row;
      const thread = await requireThread(userId, threadId);
      const model = await requireModel(ctx, userId);
      const message: NewMessage = { id, text, files, source: 'queued' };
      const writes = takeQueued(row);
      const open = await openRunOf(ctx, userId, threadId);
      if (open && (await steer(ctx, open, { message, writes }))) return { runId: open.id };
      const run = await startRun(ctx, thread, { model, timeZone: null, message, writes });
      if (!run) throw errors.runActive();
      return { runId: run.id };
    },
    resume: async (userId, threadId) => {
      const thread = await requireThread(userId, threadId);
      await store.commit([update('agentThreads', { userId, id: threadId }, { queuePaused: false })], 'kept');
      bus.changed(userId, threadId);
      if (!(await openRunOf(ctx, userId, threadId)))
        await runQueued(ctx, { ...thread, queuePaused: false }, await requireModel(ctx, userId));
    },
  };
};
