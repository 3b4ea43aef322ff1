import type { MessageFile, StoredEvent } from '@drawbridge/contracts/agent/events';
import type { ChangeThreadInput, Thread, ViewAsk } from '@drawbridge/contracts/agent/threads';
import type { Clock } from '@drawbridge/kit';
import type { MachinePort } from '../../ports/machine.ts';
import type { WorkspacePort } from '../../ports/workspace.ts';
import { errors } from '../../rows/errors.ts';
import type { ThreadKey } from '../../rows/keys.ts';
import { threadRowOf } from '../../rows/load.ts';
import { newThreadRow, requireOwner } from '../../rows/new-rows.ts';
import { filesOf } from '../../rows/parts.ts';
import type { ThreadRow } from '../../rows/rows.ts';
import { type AgentStore, insert, update, type Write } from '../../rows/store.ts';
import { sendFile } from '../../tools/core/send-file.ts';
import type { Feed } from './feed.ts';
import { followUpsOf } from './follow-ups.ts';
import { type ListInput, listThreads } from './list.ts';
import { forEach, forgetOldThreads, removeRows } from './remove.ts';
import { runDetailsOf } from './run-details.ts';
import { openAsksOf, snapshotOf, type SnapshotPage } from './snapshot.ts';
import { countWaiting, nowOf, toThreads } from './status.ts';

interface ThreadsNeeds {
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

/** What a reader of a thread has missed. */
interface MissedEvents {
  events: { id: number; event: StoredEvent }[];
  /** Older than what is kept, or never written: the reader reads the snapshot. */
  isReset: boolean;
  lastSeq: number;
}

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

/** Throws `notFound`, also for a machine that is not the user's. */
const changeRow = async (
  { store, clock, machine }: Pick<ThreadsNeeds, 'store' | 'clock' | 'machine'>,
  { userId, threadId }: ThreadKey,
  { title, machineId }: ChangeThreadInput,
): Promise<void> => {
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
  if (!(await store.commit(writes, 'kept'))) throw errors.notFound({ message: 'There is no such thread' });
};

/** As doors read them: `forgetOld` is for the sweep. */
export type Threads = Omit<ReturnType<typeof createThreads>, 'forgetOld'>;

/** The threads of users. */
export const createThreads = (needs: ThreadsNeeds) => {
  const { store, feed, clock, workspace, keepMs, stop } = needs;
  const rowOf = (userId: string, threadId: string) => threadRowOf(needs, userId, threadId);

  const get = async (userId: string, threadId: string): Promise<Thread> => {
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
  /** Stops what runs in it first; all that is its own goes with it. */
  const removeThread = async (userId: string, threadId: string): Promise<void> => {
    await rowOf(userId, threadId);
    await stopAndRemove(userId, threadId);
  };

  return {
    /** Those of the person, or of the client that `owner` names. */
    list: (userId: string, input: ListInput, owner: string | null = null) =>
      listThreads(needs, { userId, owner }, input),
    get,
    /** Throws `notFound` for a thread that another one than this client has made; not for an unknown id. */
    requireOwner: async (userId: string, threadId: string, owner: string): Promise<void> => {
      const [row] = await store.find('agentThreads', { userId, id: threadId });
      if (row) requireOwner(row, owner);
    },
    /** The open questions of the thread, the agent's own and those of machines. */
    asks: async (userId: string, threadId: string): Promise<ViewAsk[]> => {
      await rowOf(userId, threadId);
      return openAsksOf(store, { userId, threadId });
    },
    /** How many questions wait for the person, in all threads. */
    waiting: (userId: string) => countWaiting(needs, userId),
    create: async (userId: string, threadId: string, owner: string | null = null) => {
      const row = newThreadRow(userId, threadId, { now: clock.now(), owner });
      const isNew = await store.commit([insert('agentThreads', row)], 'kept');
      if (isNew) feed.changed(userId, threadId);
      requireOwner(await rowOf(userId, threadId), owner);
      return get(userId, threadId);
    },
    change: async (userId: string, threadId: string, change: ChangeThreadInput) => {
      await changeRow(needs, { userId, threadId }, change);
      feed.changed(userId, threadId);
      return get(userId, threadId);
    },
    remove: removeThread,
    /** The same for every thread of the user. */
    removeAll: async (userId: string) => {
      const threads = await store.find('agentThreads', { userId }, { isLenient: true });
      await forEach(threads, ({ id }) => stopAndRemove(userId, id));
    },
    /** The newest runs, or those before one; with the number of the event to continue from. */
    snapshot: (userId: string, threadId: string, page: SnapshotPage) =>
      snapshotOf(needs, { userId, threadId }, page),
    now: async (userId: string, threadId: string) => nowOf(needs, await rowOf(userId, threadId)),
    eventsAfter: async (userId: string, threadId: string, seq: number) =>
      missedEvents(needs, await rowOf(userId, threadId), seq),
    /** Live events and wake-ups of one thread. */
    listen: feed.listen,
    /** A thread of the user was made, changed, removed, or has another status. */
    onChanged: feed.onChanged,
    run: (userId: string, runId: string) => runDetailsOf(needs, userId, runId),
    toolCall: async (userId: string, id: string) => {
      const [call] = await store.find('agentToolCalls', { userId, id });
      if (!call) throw errors.notFound();
      return call;
    },
    file: async (userId: string, id: string) => {
      const [file] = await store.find('agentFiles', { userId, id });
      if (!file) throw errors.notFound();
      return file;
    },
    /** What the agent has sent the person in a run. */
    sentFiles: async (userId: string, runId: string): Promise<MessageFile[]> => {
      const where = { userId, runId, tool: sendFile.name, state: 'ended', outcome: 'ok' } as const;
      const calls = await store.find('agentToolCalls', where, { isLenient: true });
      return calls.flatMap(({ result }) => filesOf(result ?? []).files ?? []);
    },
    /** Runs that background work has started, by their ends since then, oldest first. */
    followUps: (key: ThreadKey, since: number) => followUpsOf(needs, key, since),
    forgetOld: (signal: AbortSignal) => forgetOldThreads({ store, clock, keepMs, removeThread }, signal),
  };
};
