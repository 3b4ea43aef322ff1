import { endOfTurn } from '@drawbridge/kit';
import { CompiledQuery, type DatabaseConnection, type Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/**
 * `synced`: on disk when it resolves, whatever becomes of the machine. `kept`: the end of the process does not lose it,
 * a power cut may, until something after it is synced.
 */
export type Durability = 'synced' | 'kept';

/** Writes the queries, all or none; resolves when they are as durable as was asked. They may be run more than once. */
export type GroupCommit = (queries: readonly CompiledQuery[], durability: Durability) => Promise<void>;

interface Waiting {
  queries: readonly CompiledQuery[];
  durability: Durability;
  resolve(): void;
  reject(error: unknown): void;
}

const begin = CompiledQuery.raw('begin');
const commit = CompiledQuery.raw('commit');
const rollback = CompiledQuery.raw('rollback');
const withoutSync = CompiledQuery.raw('pragma synchronous = normal');
const withSync = CompiledQuery.raw('pragma synchronous = full');

const inTransaction = async (on: DatabaseConnection, group: readonly Waiting[]) => {
  const queries = group.flatMap((one) => one.queries);
  const [only, second] = queries;
  // One alone is a transaction by itself.
  if (only && !second) return void (await on.executeQuery(only));
  await on.executeQuery(begin);
  try {
    for (const query of queries) await on.executeQuery(query);
    await on.executeQuery(commit);
  } catch (error) {
    try {
      await on.executeQuery(rollback);
    } catch {
      // After some errors, such as a full disk, SQLite has rolled back by itself; the one to hear of is the first.
    }
    throw error;
  }
};

/** Writes that arrive together go into one transaction: one sync of the disk for all of them. One that fails fails alone. */
export const createGroupCommit = (db: Kysely<Schema>): GroupCommit => {
  const executor = db.getExecutor();
  let waiting: Waiting[] = [];
  let gathering = false;

  const isKept = (one: Waiting) => one.durability === 'kept';

  // Straight on the connection: Kysely's own layers take as long as the statements.
  const write = (group: readonly Waiting[]) =>
    executor.provideConnection(async (connection) => {
      if (!group.every(isKept)) return inTransaction(connection, group);
      await connection.executeQuery(withoutSync);
      try {
        await inTransaction(connection, group);
      } finally {
        await connection.executeQuery(withSync);
      }
    });

  const writeGathered = async () => {
    await endOfTurn();
    // Nobody waits for what is only kept: what else this turn has to do, such as sending frames, goes first.
    if (waiting.every(isKept)) await endOfTurn();
    const group = waiting;
    waiting = [];
    gathering = false;
    try {
      await write(group);
      for (const one of group) one.resolve();
    } catch (error) {
      if (group.length === 1) return group[0]?.reject(error);
      for (const one of group) await write([one]).then(one.resolve, one.reject);
    }
  };

  return (queries, durability) =>
    new Promise((resolve, reject) => {
      waiting.push({ queries, durability, resolve, reject });
      if (gathering) return;
      gathering = true;
      void writeGathered();
    });
};
