import { createTransientMap } from '@drawbridge/kit';
import { errors } from '../../errors.ts';

/** A bounded number of things at once for each key: an address, a user. */
export const createQuota = (max: number) => {
  const counts = createTransientMap<string, number>();
  const add = (key: string, by: 1 | -1) => {
    const count = (counts.get(key) ?? 0) + by;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  };
  return {
    count: (key: string): number => counts.get(key) ?? 0,
    /** Counts one more; the returned function releases it. Throws `tooManyRequests` beyond the bound. */
    acquire: (key: string): (() => void) => {
      if ((counts.get(key) ?? 0) >= max) throw errors.tooManyRequests();
      add(key, 1);
      let isHeld = true;
      return () => {
        if (isHeld) add(key, -1);
        isHeld = false;
      };
    },
  };
};

export type Quota = ReturnType<typeof createQuota>;
