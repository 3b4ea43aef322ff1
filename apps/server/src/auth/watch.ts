import { createTransientMap, type Clock, type TransientMap } from '@drawbridge/kit';

/** How long an ended session or a revoked token may go unnoticed. */
const checkEveryMs = 750;

interface WatchNeeds {
  clock: Clock;
  /** Those of the names that still hold. */
  live(names: string[]): Promise<Set<string>>;
  onError(error: unknown): void;
}

/** Watches open sessions or tokens by name: one query for all of them, and no query while none is open. */
export const createWatch = ({ clock, live, onError }: WatchNeeds) => {
  const watched = createTransientMap<string, TransientMap<number, () => void>>();
  let lastId = 0;
  let stop: (() => void) | null = null;

  const check = async () => {
    const names = [...watched.keys()];
    if (names.length === 0) return;
    const holding = await live(names);
    for (const name of names) {
      if (holding.has(name)) continue;
      const listeners = watched.get(name);
      watched.delete(name);
      for (const ended of listeners?.values() ?? []) ended();
    }
  };

  return {
    /** Looks now; a failure goes to `onError`, and the next look follows as usual. */
    check: () => check().catch(onError),
    watch: (name: string, ended: () => void): (() => void) => {
      const id = (lastId += 1);
      const listeners = watched.get(name) ?? createTransientMap<number, () => void>();
      listeners.set(id, ended);
      watched.set(name, listeners);
      stop ??= clock.every(checkEveryMs, () => void check().catch(onError));
      return () => {
        listeners.delete(id);
        if (listeners.size === 0 && watched.get(name) === listeners) watched.delete(name);
        if (watched.size > 0) return;
        stop?.();
        stop = null;
      };
    },
  };
};
