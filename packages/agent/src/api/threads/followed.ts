import type { Clock } from '@drawbridge/kit';
import type { Subscription, ThreadRelay, ThreadSignal } from '../../ports/servers.ts';
import { keyOf, type ThreadKey } from '../../rows/keys.ts';

interface Needs {
  clock: Clock;
  emit(key: string, signal: ThreadSignal): void;
  emitChange(userId: string, threadId: string): void;
  /** Another text after most changes of a thread's rows. */
  versionOf(thread: ThreadKey): Promise<string>;
  onError(error: unknown): void;
}

/** What `versionOf` does not show is looked for each that many times. */
const lookThoroughlyEach = 5;

interface Entry {
  readers: number;
  ready: Promise<void>;
  look(): void;
  stop(): void;
}

/** What is read here and may happen on other servers: their signals, and a look for those that were lost. */
export const createFollowed = (relay: ThreadRelay, needs: Needs) => {
  const { clock, emit, emitChange } = needs;
  const entries = new Map<string, Entry>();
  let stopLooking: (() => void) | null = null;

  const lookAtAll = () => {
    for (const { look } of entries.values()) look();
  };
  const stopWatchingGaps = () => {
    stopLooking?.();
    stopLooking = null;
  };

  /** Looks whether a signal was lost. */
  const createLook = (thread: ThreadKey, onChanged: () => void) => {
    let seen = '';
    let looks = 0;
    const look = async () => {
      looks += 1;
      const version = await needs.versionOf(thread);
      if (version !== seen || looks % lookThoroughlyEach === 0) onChanged();
      seen = version;
    };
    return () => void look().catch(needs.onError);
  };

  const open = (key: string, make: () => Omit<Entry, 'readers'>): Subscription => {
    const entry = entries.get(key) ?? { ...make(), readers: 0 };
    entries.set(key, entry);
    entry.readers += 1;
    if (stopLooking === null) {
      const stops = [clock.every(relay.lookEveryMs, lookAtAll), relay.onGap(lookAtAll)];
      stopLooking = () => stops.forEach((stop) => stop());
    }
    let isStopped = false;
    const stop = () => {
      if (isStopped) return;
      isStopped = true;
      entry.readers -= 1;
      if (entry.readers > 0) return;
      entry.stop();
      entries.delete(key);
      if (entries.size === 0) stopWatchingGaps();
    };
    return { ready: entry.ready, stop };
  };

  return {
    /** The signals of a thread. */
    thread: (thread: ThreadKey): Subscription => {
      const key = keyOf(thread);
      const opened = open(key, () => ({
        ...relay.subscribe(thread, (signal) => emit(key, signal)),
        look: createLook(thread, () => emit(key, { type: 'changed' })),
      }));
      opened.ready.then(() => relay.wantPartial(thread), needs.onError);
      return opened;
    },
    /** The threads of a user that change. */
    user: (userId: string): Subscription =>
      open(`user ${userId}`, () => ({
        ...relay.subscribeChanges(userId, (threadId) => emitChange(userId, threadId)),
        look: () => {},
      })),
  };
};
