import { createKeyedQueue } from '@drawbridge/kit';
import type { AgentNeeds } from '../ports/needs.ts';
import type { AgentServers, Driven } from '../ports/servers.ts';
import { ElsewhereError } from '../rows/errors.ts';
import { keyOf, type ThreadKey, threadsOf } from '../rows/keys.ts';
import { threadOf } from '../rows/load.ts';
import { type AgentStore, increase, update } from '../rows/store.ts';
import type { RunContext } from './context.ts';

/** A thread that this server drives. */
export interface Held extends ThreadKey {
  driven: Driven;
  /** Its writes count only while this server drives the thread. */
  ctx: RunContext;
  /** Aborted once another server may drive it. */
  lost: AbortSignal;
}

interface Entry extends Held {
  end: AbortController;
  /** `used` since the last round, `quiet` since then; `kept`: quiet, and something is open. */
  use: 'used' | 'quiet' | 'kept';
  /** Why it has to be continued: `isTaken` until that has worked once. */
  why: { isTaken: boolean; hasCrashed: boolean };
}

interface Needs extends Pick<AgentNeeds, 'store' | 'onError'> {
  servers: AgentServers;
  /** A context whose work ends with the signal. */
  open(store: AgentStore, lost: AbortSignal): RunContext;
  /** For a thread that is not stored. */
  outside(): RunContext;
  /** Continues what a thread has open; after a take it is called before anything else works there. */
  resume(held: Held, why: { isTaken: boolean; hasCrashed: boolean }): Promise<void>;
  /** Whether a request of this process waits in the thread. */
  isWaitedFor(key: ThreadKey): boolean;
  onLost(key: ThreadKey): void;
}

const orphansAtOnce = 20;

/** In the place of `wakes`: what others have changed was not done, so the next round tries it again. */
export const notAttended = -1;

/** What others write wakes the driver of the thread, also where the hint is lost. */
export const wakingStore = (store: AgentStore): AgentStore => ({
  ...store,
  commit: (writes, durability) => {
    const threads = threadsOf(writes.filter((write) => write.type === 'event'));
    const wakes = threads.map(({ userId, threadId: id }) =>
      increase('agentThreads', { userId, id }, { wakes: 1 }),
    );
    return store.commit([...wakes, ...writes], durability);
  },
});

/** The row of the thread is locked first: transactions of one thread cannot wait for each other. */
const guardOf = ({ userId, threadId: id, driverId, fence }: Driven) =>
  update('agentThreads', { userId, id, driverId, fence }, { fence });

/** Makes and ends entries: what is written by one counts while its number is the newest. */
const createEntries = (needs: Needs, held: Map<string, Entry>) => {
  const { store } = needs;

  const lose = (entry: Entry) => {
    if (held.get(keyOf(entry)) === entry) held.delete(keyOf(entry));
    if (entry.end.signal.aborted) return;
    entry.end.abort();
    needs.onLost(entry);
  };

  const isOurs = async ({ userId, threadId, driverId, fence }: Driven): Promise<boolean> => {
    const thread = await threadOf({ store }, userId, threadId);
    return thread?.driverId === driverId && thread.fence === fence;
  };

  const guarded = (driven: Driven, entry: () => Entry): AgentStore => ({
    ...store,
    commit: async (writes, durability) => {
      if (entry().lost.aborted) throw new ElsewhereError();
      if (writes.length === 0) return true;
      if (await store.commit([guardOf(driven), ...writes], durability)) return true;
      if (await isOurs(driven)) return false;
      lose(entry());
      throw new ElsewhereError();
    },
  });

  const open = ({ hasCrashed, ...driven }: Driven & { hasCrashed: boolean }): Entry => {
    const end = new AbortController();
    const { userId, threadId } = driven;
    const ctx = needs.open(
      guarded(driven, () => entry),
      end.signal,
    );
    const why = { isTaken: true, hasCrashed };
    const entry: Entry = { userId, threadId, driven, ctx, lost: end.signal, end, use: 'used', why };
    return entry;
  };
  return { lose, open };
};

export type Driving = ReturnType<typeof createDriving>;

/** The threads that this server drives, one of several. */
export const createDriving = (needs: Needs) => {
  const { servers, store, onError, resume } = needs;
  const held = new Map<string, Entry>();
  const taking = createKeyedQueue();

  const { lose, open } = createEntries(needs, held);

  /** What fails is tried again in the next round: the store may be away. */
  const continueIn = async (entry: Entry): Promise<void> => {
    try {
      await resume(entry, entry.why);
      entry.why = { isTaken: false, hasCrashed: false };
    } catch (error) {
      entry.driven.wakes = notAttended;
      throw error;
    }
  };

  /** The context for work in a thread, which this server takes for it. Throws `ElsewhereError`. */
  const own = (key: ThreadKey): Promise<RunContext> =>
    taking.run(keyOf(key), async () => {
      if (!servers.isLive()) throw new ElsewhereError();
      const known = held.get(keyOf(key));
      if (known) {
        known.use = 'used';
        return known.ctx;
      }
      const taken = await servers.take(key);
      if (taken === 'missing') return needs.outside();
      if (taken === 'elsewhere') throw new ElsewhereError();
      const entry = open(taken);
      held.set(keyOf(key), entry);
      await continueIn(entry).catch(onError);
      return entry.ctx;
    });

  /** Does nothing where another server drives the thread. */
  const tryOwn = (key: ThreadKey): void => void own(key).catch(onError);

  /** Continues where others have changed the thread, after what is being continued. */
  const attend = (entry: Entry, wakes: number): Promise<void> =>
    taking.run(keyOf(entry), async () => {
      if (wakes === entry.driven.wakes || entry.lost.aborted) return;
      entry.driven.wakes = wakes;
      entry.use = 'used';
      await continueIn(entry);
    });

  /** A hint for the driver. */
  const notify = async (key: ThreadKey): Promise<void> => {
    const thread = await threadOf({ store }, key.userId, key.threadId);
    if (thread?.driverId) servers.wake(thread.driverId, key);
  };

  const releaseQuiet = (entry: Entry): Promise<void> =>
    taking.run(keyOf(entry), async () => {
      if (entry.use !== 'quiet') return;
      if (needs.isWaitedFor(entry) || !(await servers.release(entry.driven))) entry.use = 'kept';
      else lose(entry);
    });
  /** Those that nothing has used for a round, and in which nothing is open. */
  const releaseIdle = () => {
    for (const entry of [...held.values()])
      if (entry.use === 'used') entry.use = 'quiet';
      else releaseQuiet(entry).catch(onError);
  };

  return {
    own,
    notify,
    /** Those that it drives at this moment. */
    held: (): readonly Held[] => [...held.values()],
    of: (key: ThreadKey): Held | undefined => held.get(keyOf(key)),
    woken: async (key: ThreadKey): Promise<void> => {
      const entry = held.get(keyOf(key));
      const thread = entry && (await threadOf({ store }, key.userId, key.threadId));
      if (entry && thread) await attend(entry, thread.wakes);
    },
    /** Compares what it drives with the rows, and takes what no live server drives. */
    round: async (): Promise<void> => {
      const before = [...held.values()];
      const rows = new Map((await servers.driven()).map((driven) => [keyOf(driven), driven]));
      for (const entry of before) {
        const row = rows.get(keyOf(entry));
        if (row?.fence !== entry.driven.fence) lose(entry);
        else attend(entry, row.wakes).catch(onError);
      }
      const orphans = await servers.orphans(orphansAtOnce);
      for (const key of [...rows.values(), ...orphans]) if (!held.has(keyOf(key))) tryOwn(key);
      releaseIdle();
    },
    /** Others may drive all of them. */
    loseAll: () => [...held.values()].forEach(lose),
  };
};
