/** Rows of one reading that are kept; beyond this the oldest goes. */
const mostKept = 1_000;

/**
 * Makes a reading of one row by a key cheap where it is asked with every request: what was read is given again as long as
 * nothing in the store has changed that it could have come from, and that is looked at each time. A row that is not there is
 * looked for again. What is given is shared: nobody changes it.
 */
export type Remember = <Row>(
  read: (key: string) => Promise<Row | undefined>,
) => (key: string) => Promise<Row | undefined>;

/** `version` gives another number after each change of the store. */
export const createRowCache =
  (version: () => number): Remember =>
  <Row>(read: (key: string) => Promise<Row | undefined>) => {
    let rows = new Map<string, Row>();
    let readAt = version();
    return async (key) => {
      const now = version();
      if (now !== readAt) rows = new Map();
      readAt = now;
      const known = rows.get(key);
      if (known !== undefined) return known;
      // What changes while it is read makes another map for those who ask next.
      const kept = rows;
      const row = await read(key);
      if (row === undefined) return undefined;
      const [oldest] = kept.keys();
      if (kept.size >= mostKept && oldest !== undefined) kept.delete(oldest);
      kept.set(key, row);
      return row;
    };
  };
