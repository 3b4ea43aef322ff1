import type { Clock } from '@drawbridge/kit';

/** How long a change of another process may go unnoticed: reading the number costs as much as a row. */
const readEveryMs = 500;

/** Counts changes by other connections; `dataVersion` reads SQLite's number of them. */
export const createOthersChanged = (clock: Clock, dataVersion: () => unknown): (() => number) => {
  let changes = 0;
  let seen = dataVersion();
  let readAt = clock.now();
  return () => {
    const now = clock.now();
    if (Math.abs(now - readAt) < readEveryMs) return changes;
    readAt = now;
    const current = dataVersion();
    if (current !== seen) changes += 1;
    seen = current;
    return changes;
  };
};
