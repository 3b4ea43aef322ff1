import type { Clock } from '@drawbridge/kit';

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
  const watched = new Map<string, Set<() => void>>();
  let stop: (() => void) | null = null;

  const check = async () => {
    const names = [...watched.keys()];
    if (names.length === 0) return;
    const holding = await live(names);
    for (const name of names) {
      if (holding.has(name)) continue;
      const listeners = watched.get(name) ?? new Set();
      watched.delete(name);
      for (const ended of listeners) ended();
    }
  };

  return {
    /** Looks now; what goes wrong is told to `onError`, and the next look comes all the same. */
    check: () => check().catch(onError),
    watch: (name: string, ended: () => void): (() => void) => {
      const own = () => ended();
      const listeners = watched.get(name) ?? new Set();
      watched.set(name, listeners.add(own));
      stop ??= clock.every(checkEveryMs, () => void check().catch(onError));
      return () => {
        listeners.delete(own);
        if (listeners.size === 0 && watched.get(name) === listeners) watched.delete(name);
        if (watched.size > 0) return;
        stop?.();
        stop = null;
      };
    },
  };
};
