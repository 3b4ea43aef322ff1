import type { SqliteDatabase } from 'kysely';
import type { Durability } from '../write.ts';
import { beforeEachRun, wrapStatements } from './before-each-run.ts';

const levels = { synced: 'full', kept: 'normal', lazy: 'normal' } as const satisfies Record<
  Durability,
  string
>;
const writesNothing = /^select\b/i;

/** Takes a connection that is at `synced`; `exec` runs a statement on it. */
export const createSyncLevel = (database: SqliteDatabase, exec: (text: string) => void) => {
  let now: Durability = 'synced';
  /** Call it outside a transaction. It persists until the next call; a change costs one statement. */
  const set = (durability: Durability) => {
    if (durability === now) return;
    exec(`pragma synchronous = ${levels[durability]}`);
    now = durability;
  };

  return {
    set,
    /** The same database, where all that is written is synced. */
    synced: wrapStatements(database, (statement, text) =>
      writesNothing.test(text) ? statement : beforeEachRun(statement, () => set('synced')),
    ),
  };
};

/** How careful the one connection is while it writes. */
export type SyncLevel = ReturnType<typeof createSyncLevel>;
