import type { SqliteDatabase } from 'kysely';
import { beforeEachRun } from './before-each-run.ts';

/**
 * `synced`: on disk when it resolves, safe against a power cut. `kept`: safe against the end of the process;
 * a power cut can lose it until the next sync.
 */
export type Durability = 'synced' | 'kept';

/** How careful the one connection is while it writes. */
export interface SyncLevel {
  /** Call it outside a transaction. It persists until the next call; a change costs one statement. */
  set(durability: Durability): void;
  /** The same database, where all that is written is synced. */
  synced: SqliteDatabase;
}

const levels = { synced: 'full', kept: 'normal' } as const satisfies Record<Durability, string>;
const writesNothing = /^select\b/i;

/** Takes a connection that is at `synced`; `exec` runs a statement on it. */
export const createSyncLevel = (database: SqliteDatabase, exec: (text: string) => void): SyncLevel => {
  let now: Durability = 'synced';
  const set = (durability: Durability) => {
    if (durability === now) return;
    exec(`pragma synchronous = ${levels[durability]}`);
    now = durability;
  };

  return {
    set,
    synced: {
      prepare: (text) => {
        const statement = database.prepare(text);
        return writesNothing.test(text) ? statement : beforeEachRun(statement, () => set('synced'));
      },
      close: () => database.close(),
    },
  };
};
