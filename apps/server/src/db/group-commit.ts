import { endOfTurn } from '@drawbridge/kit';
import { sql, type Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** Writes something through the connection that it is given; it may be run again when its first run was rolled back. */
export type Write<T> = (on: Kysely<Schema>) => Promise<T>;

/**
 * `synced`: on disk when it resolves, whatever becomes of the machine. `kept`: the end of the process does not lose it,
 * a power cut may, until something after it is synced.
 */
export type Durability = 'synced' | 'kept';

/** Resolves when the write is as durable as was asked. */
export type GroupCommit = <T>(write: Write<T>, durability: Durability) => Promise<T>;

interface Waiting {
  /** Runs the write; what it returns tells its maker, once the transaction holds. */
  run(on: Kysely<Schema>): Promise<() => void>;
  durability: Durability;
  reject(error: unknown): void;
}

/** Writes that arrive together go into one transaction: one sync of the disk for all of them. One that fails fails alone. */
export const createGroupCommit = (db: Kysely<Schema>): GroupCommit => {
  const withoutSync = sql`pragma synchronous = normal`.compile(db);
  const withSync = sql`pragma synchronous = full`.compile(db);
  let waiting: Waiting[] = [];
  let gathering = false;

  const alone = (one: Waiting) => one.run(db).then((done) => done(), one.reject);

  const inTransaction = (on: Kysely<Schema>, group: Waiting[]) =>
    on.transaction().execute(async (trx) => {
      const done = [];
      for (const one of group) done.push(await one.run(trx));
      return done;
    });

  const together = (group: Waiting[]) =>
    db.connection().execute(async (connection) => {
      const isKept = group.every((one) => one.durability === 'kept');
      if (!isKept) return inTransaction(connection, group);
      await connection.executeQuery(withoutSync);
      try {
        return await inTransaction(connection, group);
      } finally {
        await connection.executeQuery(withSync);
      }
    });

  const commit = async () => {
    await endOfTurn();
    const group = waiting;
    waiting = [];
    gathering = false;
    const [first, second] = group;
    if (first?.durability === 'synced' && !second) return alone(first);
    try {
      for (const done of await together(group)) done();
    } catch {
      for (const one of group) await alone(one);
    }
  };

  return (write, durability) =>
    new Promise((resolve, reject) => {
      waiting.push({
        durability,
        run: async (on) => {
          const value = await write(on);
          return () => resolve(value);
        },
        reject,
      });
      if (gathering) return;
      gathering = true;
      void commit();
    });
};
