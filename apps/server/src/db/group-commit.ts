import { endOfTurn, type Clock } from '@drawbridge/kit';
import type { CompiledQuery, Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import type { Durability } from './sync-level.ts';
import type { WriteTogether } from './write-together.ts';

/** How long what is only `keptSoon` waits for others to go with. */
const soonMs = 2;

/** `keptSoon`: as `kept`, for what nobody waits for. It goes with the next writes, or alone a little later. */
export type Wish = Durability | 'keptSoon';

/** Writes the queries, all or none; resolves when they are as durable as was asked. They may be run more than once. */
export type GroupCommit = (queries: readonly CompiledQuery[], wish: Wish) => Promise<void>;

export interface GroupWriter {
  commit: GroupCommit;
  /** Lets nothing wait for others any more. Who reads the store after this finds all that was given to `commit` before it. */
  written(): Promise<void>;
}

interface Waiting {
  queries: readonly CompiledQuery[];
  wish: Wish;
  resolve(): void;
  reject(error: unknown): void;
}

const isKept = (one: Waiting) => one.wish !== 'synced';

/** Writes that arrive together go into one transaction: one sync of the disk for all of them. One that fails fails alone. */
export const createGroupWriter = (
  db: Kysely<Schema>,
  writeTogether: WriteTogether,
  clock: Clock,
): GroupWriter => {
  const executor = db.getExecutor();
  let waiting: Waiting[] = [];
  let gathering: Promise<void> | null = null;
  let timed = false;

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
    gathering = null;
    try {
      await write(group);
      for (const one of group) one.resolve();
    } catch (error) {
      if (group.length === 1) return group[0]?.reject(error);
      for (const one of group) await write([one]).then(one.resolve, one.reject);
    }
  };

  const gather = () => (gathering ??= writeGathered());

  const gatherSoon = () => {
    if (timed) return;
    timed = true;
    clock.after(soonMs, () => {
      timed = false;
      if (waiting.length > 0) void gather();
    });
  };

  return {
    commit: (queries, wish) =>
      new Promise((resolve, reject) => {
        waiting.push({ queries, wish, resolve, reject });
        if (wish === 'keptSoon') gatherSoon();
        else void gather();
      }),
    written: async () => {
      if (waiting.length > 0) await gather();
    },
  };
};
