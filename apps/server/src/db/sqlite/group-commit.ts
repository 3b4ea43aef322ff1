import { nextMacrotask } from '@drawbridge/kit';
import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import type { Commit, Durability, Write } from '../write.ts';
import type { BatchTransaction } from './batch-transaction.ts';

interface Waiting {
  writes: readonly Write[];
  durability: Durability;
  resolve(): void;
  reject(error: unknown): void;
}

const isKept = (entry: Waiting) => entry.durability !== 'synced';

/** Concurrent writes share one transaction, and so one disk sync. A write that fails does not fail others. */
export const createGroupCommit = (db: Kysely<Schema>, writeBatch: BatchTransaction): Commit => {
  const executor = db.getExecutor();
  let waiting: Waiting[] = [];
  let gathering = false;

  /** Once the connection is free. */
  const write = (group: readonly Waiting[]) =>
    executor.provideConnection(async () =>
      writeBatch(
        group.flatMap((entry) => entry.writes),
        group.every(isKept) ? 'kept' : 'synced',
      ),
    );

  const writeGathered = async () => {
    // After what this turn has gathered before, such as the frame that sends a read.
    await nextMacrotask();
    const group = waiting;
    waiting = [];
    gathering = false;
    try {
      await write(group);
      for (const entry of group) entry.resolve();
    } catch (error) {
      if (group.length === 1) return group[0]?.reject(error);
      for (const entry of group) await write([entry]).then(entry.resolve, entry.reject);
    }
  };

  return (writes, durability) =>
    new Promise((resolve, reject) => {
      waiting.push({ writes, durability, resolve, reject });
      if (gathering) return;
      gathering = true;
      void writeGathered();
    });
};
