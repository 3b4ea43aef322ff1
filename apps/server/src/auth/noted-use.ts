import type { Clock } from '@drawbridge/kit';

/** How soon a use is written down again: from where it last came, and from elsewhere. */
const sameEveryMs = 60_000;
const elsewhereEveryMs = 1_000;
/** Tokens and clients whose last use is remembered; beyond this the oldest is forgotten, and written down again. */
const mostRemembered = 1_000;

interface NotedUseNeeds {
  clock: Clock;
  store: { used(id: string, use: { at: number; from: string | null }): Promise<void> };
  onError(error: unknown): void;
}

/** Writes down when and from where a token or a client was used last; most uses cost no write. */
export const createNotedUse = ({ clock, store, onError }: NotedUseNeeds) => {
  const written = new Map<string, { at: number; from: string | null }>();

  return (id: string, from: string | null): void => {
    const at = clock.now();
    const last = written.get(id);
    if (last && at - last.at < (last.from === from ? sameEveryMs : elsewhereEveryMs)) return;
    // Last in the order of the map.
    written.delete(id);
    written.set(id, { at, from });
    const [oldest] = written.keys();
    if (written.size > mostRemembered && oldest !== undefined) written.delete(oldest);
    void store.used(id, { at, from }).catch(onError);
  };
};
