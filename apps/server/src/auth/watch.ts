import type { Clock } from '@drawbridge/kit';
import type { Session } from './accounts.ts';

/** How long a session that is over may go unnoticed. */
const checkEveryMs = 750;

interface WatchNeeds {
  clock: Clock;
  /** Those of the tokens whose session still holds. */
  live(tokens: string[]): Promise<Set<string>>;
  onError(error: unknown): void;
}

/** Watches sessions that something is open for: one question to the store for all of them, and none while there are none. */
export const createWatch = ({ clock, live, onError }: WatchNeeds) => {
  const watched = new Map<string, Set<() => void>>();
  let stop: (() => void) | null = null;

  const check = async () => {
    const tokens = [...watched.keys()];
    if (tokens.length === 0) return;
    const holding = await live(tokens);
    for (const token of tokens) {
      if (holding.has(token)) continue;
      const listeners = watched.get(token) ?? new Set();
      watched.delete(token);
      for (const ended of listeners) ended();
    }
  };

  return {
    /** Looks now; what goes wrong is told to `onError`, and the next look comes all the same. */
    check: () => check().catch(onError),
    watch: ({ token }: Session, ended: () => void): (() => void) => {
      const own = () => ended();
      const listeners = watched.get(token) ?? new Set();
      watched.set(token, listeners.add(own));
      stop ??= clock.every(checkEveryMs, () => void check().catch(onError));
      return () => {
        listeners.delete(own);
        if (listeners.size === 0 && watched.get(token) === listeners) watched.delete(token);
        if (watched.size > 0) return;
        stop?.();
        stop = null;
      };
    },
  };
};
