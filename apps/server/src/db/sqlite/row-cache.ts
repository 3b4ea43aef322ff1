import { createBoundedMap } from '@drawbridge/kit';

/** Rows of one query. */
const maxEntries = 1_000;

/**
 * Caches a row by its key until a change of the store that could concern it; each read checks the counter.
 * Missing rows are not cached. The returned row is shared and must not be changed.
 */
export type CacheRows = <Row>(read: (key: string) => Promise<Row>) => (key: string) => Promise<Row>;

/** `version` gives another number after each change of the store. */
export const createRowCache =
  (version: () => number): CacheRows =>
  <Row>(read: (key: string) => Promise<Row>) => {
    const newRows = () => createBoundedMap<string, Row>({ maxEntries });
    let rows = newRows();
    let readAt = version();
    return async (key) => {
      const now = version();
      if (now !== readAt) rows = newRows();
      readAt = now;
      const known = rows.get(key);
      if (known !== undefined) return known;
      // What changes while it is read makes another map for those who ask next.
      const kept = rows;
      const row = await read(key);
      if (row !== undefined) kept.set(key, row);
      return row;
    };
  };
