import { createTimer, nextMacrotask, systemClock } from '@drawbridge/kit';
import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import type { Commit, Durability, Write } from '../write.ts';
import type { BatchTransaction } from './batch-transaction.ts';

/** A trailing write waits no longer. */
const trailingMs = 10;

interface Waiting {
  writes: readonly Write[];
  durability: Durability;
  resolve(): void;
  reject(error: unknown): void;
}

interface Needs {
  writeBatch: BatchTransaction;
  inTransaction(): boolean;
}

const isKept = (entry: Waiting) => entry.durability !== 'synced';
const isTrailing = (entry: Waiting) => entry.durability === 'trailing';

/**
 * Concurrent writes share one transaction, and so one disk sync. A write that fails does not fail others.
 * `flush` writes what is trailing at once, so that what reads next finds it.
 */
export const createGroupCommit = (db: Kysely<Schema>, { writeBatch, inTransaction }: Needs) => {
  const executor = db.getExecutor();
  let waiting: Waiting[] = [];
  let gathering = false;
  const trailing = createTimer(systemClock);

  /** While the connection is free. */
  const write = (group: readonly Waiting[]) => {
    const writes = group.flatMap((entry) => entry.writes);
    try {
      writeBatch(writes, group.every(isKept) ? 'kept' : 'synced');
    } catch (error) {
      const [only, second] = group;
      if (second === undefined) only?.reject(error);
      else for (const entry of group) write([entry]);
      return;
    }
    for (const entry of group) entry.resolve();
  };

  const writeGathered = async () => {
    // After what this turn has gathered before, such as the frame that sends a read.
    await nextMacrotask();
    const group = waiting;
    waiting = [];
    gathering = false;
    if (group.length === 0) return;
    try {
      await executor.provideConnection(async () => write(group));
    } catch (error) {
      for (const entry of group) entry.reject(error);
    }
  };

  const gather = () => {
    trailing.cancel();
    gathering = true;
    void writeGathered();
  };

  const commit: Commit = (writes, durability) =>
    new Promise((resolve, reject) => {
      waiting.push({ writes, durability, resolve, reject });
      if (gathering) return;
      if (durability !== 'trailing') gather();
      else if (!trailing.isWaiting()) trailing.start(trailingMs, gather);
    });

  const flush = () => {
    if (waiting.length === 0 || inTransaction()) return;
    const group = waiting.filter(isTrailing);
    if (group.length === 0) return;
    waiting = waiting.filter((entry) => !isTrailing(entry));
    trailing.cancel();
    write(group);
  };
  return { commit, flush };
};
