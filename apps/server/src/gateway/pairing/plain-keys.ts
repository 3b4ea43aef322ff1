import { createHmac, hash } from 'node:crypto';
import { nanoid } from 'nanoid';
import type { StoredKey } from './keys.store.ts';

const prefixes = { pairing: 'gw_', session: 'sess_' };
const keyLength = 32;

export const digestOf = (key: string): string => hash('sha256', key);

/** A new key, the digest by which it is found, and what any server computes it from. */
interface NewKey {
  key: string;
  digest: string;
  seed: string;
}

/**
 * Keys are computed from the secret of the servers and a stored seed, so that each server can show one again,
 * also after a restart. Neither alone gives a key.
 */
export const createPlainKeys = (secret: string) => {
  const keyOf = (kind: keyof typeof prefixes, seed: string) => {
    const mac = createHmac('sha256', secret).update(`drawbridge key ${kind} ${seed}`).digest('base64url');
    return prefixes[kind] + mac.slice(0, keyLength);
  };
  return {
    create: (kind: keyof typeof prefixes): NewKey => {
      const seed = nanoid();
      const key = keyOf(kind, seed);
      return { key, digest: digestOf(key), seed };
    },
    /** Null for a key of another secret, or of an earlier release. */
    of: ({ kind, seed, digest }: Pick<StoredKey, 'kind' | 'seed' | 'digest'>): string | null => {
      if (seed === null) return null;
      const key = keyOf(kind === 'session' ? 'session' : 'pairing', seed);
      return digestOf(key) === digest ? key : null;
    },
  };
};
