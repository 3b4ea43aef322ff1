import type { Clock } from '@drawbridge/kit';
import type { TokensStore } from './tokens.store.ts';

/** How soon a use is written down again: from where it last came, and from elsewhere. */
const sameEveryMs = 60_000;
const elsewhereEveryMs = 1_000;
/** Tokens whose last use is remembered; beyond this the oldest is forgotten, and written down again. */
const mostRemembered = 1_000;

interface TokenUseNeeds {
  clock: Clock;
  store: Pick<TokensStore, 'used'>;
  onError(error: unknown): void;
}

/** Writes down when and from where tokens are used, so that a use costs no write of the disk. */
export const createTokenUse = ({ clock, store, onError }: TokenUseNeeds) => {
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
