import { createBoundedMap } from '@drawbridge/kit';

/** Rows of one query. */
const maxEntries = 1_000;

/**
 * Makes a reading of one row by a key cheap where it is asked with every request: what was read is given again as long as
 * nothing in the store has changed that it could have come from, and that is looked at each time. A row that is not there is
 * looked for again. What is given is shared: nobody changes it.
 */
export type CacheRows = <Row>(
  read: (key: string) => Promise<Row | undefined>,
) => (key: string) => Promise<Row | undefined>;

/** `version` gives another number after each change of the store. */
export const createRowCache =
  (version: () => number): CacheRows =>
  <Row>(read: (key: string) => Promise<Row | undefined>) => {
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
      if (row === undefined) return undefined;
      kept.set(key, row);
      return row;
    };
  };
