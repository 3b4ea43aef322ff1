import { createBoundedMap } from '@drawbridge/kit';

/** Rows of one query. */
const maxEntries = 1_000;

/**
 * Caches a row by its key until `version` changes; each read compares it. Missing rows are not cached. The
 * returned row is shared and must not be changed.
 */
export type CacheRows = <Row>(read: (key: string) => Promise<Row>) => (key: string) => Promise<Row>;

/** Rows that say what somebody may do, and settings: cached, and read again after each change. */
export interface Rights {
  cacheRows: CacheRows;
  /** Every write of a cached table runs in here: when this settles, such rows are read again. */
  changeRights<Result>(write: () => Promise<Result>): Promise<Result>;
  /** Another number after each change: at once after our own, within half a second after one of others. */
  version(): number;
  /** `listener` runs after each own change. */
  onRightsChanged(listener: () => void): void;
  /** Another server has changed them: rows are read again at once. */
  rightsChanged(): void;
}

/** `othersChanged` gives another number after another process has changed the store. */
export const createRights = (othersChanged: () => number): Rights => {
  let own = 0;
  const version = () => own + othersChanged();
  const listeners = new Set<() => void>();
  return {
    version,
    onRightsChanged: (listener) => void listeners.add(listener),
    rightsChanged: () => {
      own += 1;
    },
    changeRights: async (write) => {
      try {
        return await write();
      } finally {
        // Also after a failure: part of it may be written.
        own += 1;
        for (const listener of listeners) listener();
      }
    },
    cacheRows: <Row>(read: (key: string) => Promise<Row>) => {
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
    },
  };
};
