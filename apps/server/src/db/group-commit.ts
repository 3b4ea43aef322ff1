import { endOfTurn } from '@drawbridge/kit';
import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** Writes something through the connection that it is given; it may be run again when its first run was rolled back. */
export type Write<T> = (on: Kysely<Schema>) => Promise<T>;

/** Resolves when the write is on disk. */
export type GroupCommit = <T>(write: Write<T>) => Promise<T>;

interface Waiting {
  /** Runs the write; what it returns tells its maker, once the transaction holds. */
  run(on: Kysely<Schema>): Promise<() => void>;
  reject(error: unknown): void;
}

/** Writes that arrive together go into one transaction: one sync of the disk for all of them. One that fails fails alone. */
export const createGroupCommit = (db: Kysely<Schema>): GroupCommit => {
  let waiting: Waiting[] = [];
  let gathering = false;

  const alone = (one: Waiting) => one.run(db).then((done) => done(), one.reject);

  const together = (group: Waiting[]) =>
    db.transaction().execute(async (trx) => {
      const done = [];
      for (const one of group) done.push(await one.run(trx));
      return done;
    });

  const commit = async () => {
    await endOfTurn();
    const group = waiting;
    waiting = [];
    gathering = false;
    const [first, second] = group;
    if (first && !second) return alone(first);
    try {
      for (const done of await together(group)) done();
    } catch {
      for (const one of group) await alone(one);
    }
  };

  return (write) =>
    new Promise((resolve, reject) => {
      waiting.push({
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
