import { createPerMinute, type Clock } from '@drawbridge/kit';

const windowMs = 60_000;

/** One use of a name, or none, among those of all servers of the store, and how long they still count. */
export interface SharedUse {
  /** Begins with the name of its limit: two limits never share a count. */
  key: string;
  isUse: boolean;
  windowMs: number;
}

/** Rejects where the other servers cannot be asked. */
export type SharedCount = (use: SharedUse) => Promise<{ uses: number; leftMs: number }>;

/** Limits uses of a name per minute: gives the seconds until the next one is allowed, or null. */
export interface Uses {
  use(name: string): Promise<number | null>;
  /** The same without counting. */
  check(name: string): Promise<number | null>;
}

interface Needs {
  clock: Clock;
  /** Of the limit. */
  name: string;
  max: number;
  /** Null for a server that is alone. */
  shared: SharedCount | null;
}

export const createUses = ({ clock, name: limit, max, shared }: Needs): Uses => {
  const own = createPerMinute({ clock, max, windowMs });
  const limited = (how: 'use' | 'check') => async (name: string) => {
    // Counted here too: without the others the limit holds for what this server has seen.
    const seconds = own[how](name);
    if (seconds !== null || shared === null) return seconds;
    const use = { key: `${limit}:${name}`, isUse: how === 'use', windowMs };
    const all = await shared(use).catch(() => null);
    return all === null || all.uses <= max ? null : Math.max(1, Math.ceil(all.leftMs / 1_000));
  };
  return { use: limited('use'), check: limited('check') };
};
