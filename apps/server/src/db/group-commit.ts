import { endOfTurn } from '@drawbridge/kit';
import type { CompiledQuery, Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import type { Durability } from './sync-level.ts';
import type { WriteTogether } from './write-together.ts';

/** Writes the queries, all or none; resolves when they are as durable as was asked. They may be run more than once. */
export type GroupCommit = (queries: readonly CompiledQuery[], durability: Durability) => Promise<void>;

interface Waiting {
  queries: readonly CompiledQuery[];
  durability: Durability;
  resolve(): void;
  reject(error: unknown): void;
}

const isKept = (one: Waiting) => one.durability === 'kept';

/** Writes that arrive together go into one transaction: one sync of the disk for all of them. One that fails fails alone. */
export const createGroupCommit = (db: Kysely<Schema>, writeTogether: WriteTogether): GroupCommit => {
  const executor = db.getExecutor();
  let waiting: Waiting[] = [];
  let gathering = false;

  /** Once the connection is free. */
  const write = (group: readonly Waiting[]) =>
    executor.provideConnection(async () =>
      writeTogether(
        group.flatMap((one) => one.queries),
        group.every(isKept) ? 'kept' : 'synced',
      ),
    );

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
