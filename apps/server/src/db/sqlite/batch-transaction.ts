import type { SqliteDatabase } from 'kysely';
import { OutdatedError, type Durability, type Write } from '../write.ts';
import { beforeEachRun, wrapStatements } from './before-each-run.ts';

const levels = {
  synced: 'full',
  kept: 'normal',
  lazy: 'normal',
  trailing: 'normal',
} as const satisfies Record<Durability, string>;
const writesNothing = /^select\b/i;

/** Takes a connection that is at `synced`. `exec` runs one statement; `first` comes before any other one. */
export const createSyncLevel = (
  database: SqliteDatabase,
  { exec, first }: { exec(text: string): void; first(): void },
) => {
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
      beforeEachRun(statement, () => {
        first();
        if (!writesNothing.test(text)) set('synced');
      }),
    ),
  };
};

/** How careful the one connection is while it writes. */
export type SyncLevel = ReturnType<typeof createSyncLevel>;

/** Whether a write has changed as many rows as it must. */
export const isExpected = (write: Write, changed: number): boolean => {
  if (!('rows' in write)) return true;
  return write.rows === 'some' ? changed > 0 : changed === write.rows;
};

/**
 * Runs the queries synchronously in one transaction. Call it while no other transaction is open. Throws
 * `OutdatedError` if a query changes an unexpected number of rows.
 */
export type BatchTransaction = (writes: readonly Write[], durability: Durability) => void;

interface Needs {
  /** Not the one that sets the level itself. */
  database: SqliteDatabase;
  level: SyncLevel;
  inTransaction(): boolean;
}

/** Straight on the connection: Kysely's own layers take as long as the statements. */
export const createBatchTransaction = ({ database, level, inTransaction }: Needs): BatchTransaction => {
  const run = (text: string, parameters: readonly unknown[] = []) => database.prepare(text).run(parameters);
  const runWrite = (write: Write) => {
    if (!('rows' in write)) return void run(write.sql, write.parameters);
    const { changes } = run(write.query.sql, write.query.parameters);
    if (!isExpected(write, Number(changes))) throw new OutdatedError();
  };
  return (writes, durability) => {
    level.set(durability);
    const [only, second] = writes;
    // A single statement is a transaction of its own.
    if (only && !second) return runWrite(only);
    run('begin');
    try {
      for (const write of writes) runWrite(write);
      run('commit');
    } catch (error) {
      // After some errors, such as a full disk, SQLite has rolled back already.
      if (inTransaction()) run('rollback');
      throw error;
    }
  };
};
