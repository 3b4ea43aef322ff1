import { createBoundedMap, type Clock } from '@drawbridge/kit';

/** How soon a use is written again: from the same address, and from another. */
const sameEveryMs = 60_000;
const elsewhereEveryMs = 1_000;
/** Tokens and clients; the next use of one that was evicted is written again. */
const maxEntries = 1_000;

interface LastUsedNeeds {
  clock: Clock;
  store: { used(id: string, use: { at: number; from: string | null }): Promise<void> };
  onError(error: unknown): void;
}

/** Stores when and from where a token or a client was used last, throttled: most uses cost no write. */
export const createLastUsedThrottle = ({ clock, store, onError }: LastUsedNeeds) => {
  const written = createBoundedMap<string, { at: number; from: string | null }>({ maxEntries });

  return (id: string, from: string | null): void => {
    const at = clock.now();
    const last = written.get(id);
    if (last && at - last.at < (last.from === from ? sameEveryMs : elsewhereEveryMs)) return;
    written.set(id, { at, from });
    void store.used(id, { at, from }).catch(onError);
  };
};
