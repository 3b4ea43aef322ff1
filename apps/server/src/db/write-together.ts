import type { CompiledQuery, SqliteDatabase } from 'kysely';
import type { Durability, SyncLevel } from './sync-level.ts';

/** Runs the queries in one transaction, all or none, before anything else has its turn. Call while no other transaction is open. */
export type WriteTogether = (queries: readonly CompiledQuery[], durability: Durability) => void;

interface Needs {
  /** Not the one that sets the level itself. */
  database: SqliteDatabase;
  level: SyncLevel;
  inTransaction(): boolean;
}

/** Straight on the connection: Kysely's own layers take as long as the statements. */
export const createWriteTogether = ({ database, level, inTransaction }: Needs): WriteTogether => {
  const run = (text: string, parameters: readonly unknown[] = []) => {
    database.prepare(text).run(parameters);
  };
  return (queries, durability) => {
    level.set(durability);
    const [only, second] = queries;
    // One alone is a transaction by itself.
    if (only && !second) return run(only.sql, only.parameters);
    run('begin');
    try {
      for (const query of queries) run(query.sql, query.parameters);
      run('commit');
    } catch (error) {
      // After some errors, such as a full disk, SQLite has rolled back by itself.
      if (inTransaction()) run('rollback');
      throw error;
    }
  };
};
