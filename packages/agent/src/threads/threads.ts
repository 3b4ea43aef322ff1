import type { Clock } from '@drawbridge/kit';
import type { MissedEvents, Threads } from '../agent.ts';
import { errors } from '../errors.ts';
import type { MachinePort } from '../ports/machine.ts';
import type { WorkspacePort } from '../ports/workspace.ts';
import type { ThreadRow } from '../rows.ts';
import { insert, update, type AgentStore, type Write } from '../store-port.ts';
import type { Feed } from './feed.ts';
import { listThreads } from './list.ts';
import { forgetOldThreads, removeRows } from './remove.ts';
import { runDetailsOf } from './run-details.ts';
import { snapshotOf, threadRowOf } from './snapshot.ts';
import { countWaiting, nowOf, toThreads } from './status.ts';

export interface ThreadsNeeds {
  store: AgentStore;
  feed: Feed;
  clock: Clock;
  machine: Pick<MachinePort, 'view'>;
  workspace?: Pick<WorkspacePort, 'remove'> | undefined;
  /** A thread that was used last longer ago is deleted by `forgetOld`, in milliseconds. */
  keepMs: number;
  /** Ends what runs in a thread; resolves when nothing writes to it any more. */
  stop(userId: string, threadId: string): Promise<void>;
}

/** A thread without a title or a message. */
export const newThreadRow = (userId: string, id: string, now: number): ThreadRow => ({
  userId,
  id,
  title: '',
  titleBy: null,
  machineId: null,
  tasks: [],
  lastSeq: 0,
  eventBytes: 0,
  lane: { overrides: {}, droppedCount: 0, droppedTexts: [] },
  canvasRev: 0,
  createdAt: now,
  updatedAt: now,
});

const missedEvents = async (
  { store }: ThreadsNeeds,
  thread: ThreadRow,
  seq: number,
): Promise<MissedEvents> => {
  const { userId, id: threadId } = thread;
  const reset = { events: [], isReset: true, lastSeq: thread.lastSeq };
  if (seq > thread.lastSeq) return reset;
  const options = { orderBy: 'seq', after: seq, isLenient: true } as const;
  const rows = await store.find('agentEvents', { userId, threadId }, options);
  const lastSeq = seq + rows.length;
  const isWhole = rows.every((row, at) => row.seq === seq + at + 1) && lastSeq >= thread.lastSeq;
  if (!isWhole) return reset;
  return { events: rows.map((row) => ({ id: row.seq, event: row.event })), isReset: false, lastSeq };
};

/** The threads of users, as doors read them. Also `forgetOld`, for the sweep. */
export const createThreads = (
  needs: ThreadsNeeds,
): Threads & { forgetOld(signal: AbortSignal): Promise<void> } => {
  const { store, feed, clock, machine, workspace, keepMs, stop } = needs;
  const rowOf = (userId: string, threadId: string) => threadRowOf(needs, userId, threadId);

  const get: Threads['get'] = async (userId, threadId) => {
    const [thread] = await toThreads(needs, userId, [await rowOf(userId, threadId)]);
    if (!thread) throw errors.notFound();
    return thread;
  };

  const stopAndRemove = async (userId: string, threadId: string) => {
    await stop(userId, threadId);
    // Before its rows: what fails here can be repeated.
    await workspace?.remove(userId, threadId);
    await removeRows(store, userId, threadId);
    feed.changed(userId, threadId);
  };
  const removeThread: Threads['remove'] = async (userId, threadId) => {
    await rowOf(userId, threadId);
    await stopAndRemove(userId, threadId);
  };

  return {
    list: (userId, input) => listThreads(needs, userId, input),
    get,
    waiting: (userId) => countWaiting(needs, userId),
    create: async (userId, threadId) => {
      const isNew = await store.commit(
        [insert('agentThreads', newThreadRow(userId, threadId, clock.now()))],
        'kept',
      );
      if (isNew) feed.changed(userId, threadId);
      return get(userId, threadId);
    },
    change: async (userId, threadId, { title, machineId }) => {
      const writes: Write[] = [];
      const where = { userId, id: threadId };
      // Another person's machine is as unknown as none.
      if (machineId != null) await machine.view(userId, machineId);
      if (machineId !== undefined) writes.push(update('agentThreads', where, { machineId }));
      if (title !== undefined) {
        const event = { type: 'thread-title-updated', runId: null, agentId: null, ts: clock.now() } as const;
        writes.push(update('agentThreads', where, { title, titleBy: 'person' }), {
          type: 'event',
          userId,
          threadId,
          event: { ...event, payload: { title } },
        });
      }
      if (!(await store.commit(writes, 'kept')))
        throw errors.notFound({ message: 'There is no such thread' });
      feed.changed(userId, threadId);
      return get(userId, threadId);
    },
    remove: removeThread,
    removeAll: async (userId) => {
      const threads = await store.find('agentThreads', { userId }, { isLenient: true });
      for (const { id } of threads) await stopAndRemove(userId, id);
    },
    snapshot: (userId, threadId, input) => snapshotOf(needs, { userId, threadId }, input),
    now: async (userId, threadId) => nowOf(needs, await rowOf(userId, threadId)),
    eventsAfter: async (userId, threadId, seq) => missedEvents(needs, await rowOf(userId, threadId), seq),
    listen: feed.listen,
    onChanged: feed.onChanged,
    run: (userId, runId) => runDetailsOf(needs, userId, runId),
    toolCall: async (userId, id) => {
      const [call] = await store.find('agentToolCalls', { userId, id });
      if (!call) throw errors.notFound();
      return call;
    },
    file: async (userId, id) => {
      const [file] = await store.find('agentFiles', { userId, id });
      if (!file) throw errors.notFound();
      return file;
    },
    forgetOld: (signal) => forgetOldThreads({ store, clock, keepMs, removeThread }, signal),
  };
};
