import { errors } from '../errors.ts';

/** A bounded number of places for each key: an address, a user. */
export interface Places {
  /** Takes one; the returned function gives it back. Throws `tooManyRequests` when none is free. */
  take(key: string): () => void;
}

export const createPlaces = (max: number): Places => {
  const taken = new Map<string, number>();
  const count = (key: string, by: 1 | -1) => {
    const now = (taken.get(key) ?? 0) + by;
    if (now > 0) taken.set(key, now);
    else taken.delete(key);
  };
  return {
    take: (key) => {
      if ((taken.get(key) ?? 0) >= max) throw errors.tooManyRequests();
      count(key, 1);
      let isTaken = true;
      return () => {
        if (isTaken) count(key, -1);
        isTaken = false;
      };
    },
  };
};
