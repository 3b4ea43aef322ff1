import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/** A key that counts once in its scope. Times in milliseconds since 1970. */
export type OnceRow = Schema['onceKeys'];

/** Rows arrive singly; more exceed the limit only after it was lowered. */
const trimmedAtOnce = 100;

/** What `once` did: made it now, or found the row of the first time. */
type OnceResult<Value> = { kind: 'made'; value: Value } | { kind: 'repeat'; first: OnceRow };

/** Bounds of the table. */
const onceLimits = (db: Kysely<Schema>) => ({
  /** Deletes the rows of all users that have ended by then. */
  sweep: async (now: number) => {
    await db.deleteFrom('onceKeys').where('endsAt', '<=', now).execute();
  },
  count: async (scope: string): Promise<number> => {
    const { count } = await db
      .selectFrom('onceKeys')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('scope', '=', scope)
      .executeTakeFirstOrThrow();
    return Number(count);
  },
  /** Deletes the oldest rows of a scope, except the newest `keep`. */
  trim: async (scope: string, keep: number) => {
    const old = await db
      .selectFrom('onceKeys')
      .select('key')
      .where('scope', '=', scope)
      .orderBy('at', 'desc')
      .orderBy('key')
      .limit(trimmedAtOnce)
      .offset(keep)
      .execute();
    if (old.length === 0) return;
    const keys = old.map(({ key }) => key);
    await db.deleteFrom('onceKeys').where('key', 'in', keys).execute();
  },
});

/** What happens once for each key, also where several servers use the store. */
export const createOnce = (db: Kysely<Schema>) => {
  const find = (key: string): Promise<OnceRow | undefined> =>
    db.selectFrom('onceKeys').selectAll().where('key', '=', key).executeTakeFirst();

  /** Inserts the row unless its key exists; returns the stored row. */
  const claim = async (row: OnceRow): Promise<OnceRow> => {
    for (;;) {
      const { numInsertedOrUpdatedRows = 0n } = await db
        .insertInto('onceKeys')
        .values(row)
        .onConflict((conflict) => conflict.column('key').doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows > 0n) return row;
      const stored = await find(row.key);
      // Without one, it was removed in between.
      if (stored) return stored;
    }
  };

  /** Deletes the row of that key if it stands for that subject. */
  const remove = async ({ key, subject }: Pick<OnceRow, 'key' | 'subject'>): Promise<void> => {
    await db.deleteFrom('onceKeys').where('key', '=', key).where('subject', '=', subject).execute();
  };

  return {
    find,
    claim,
    remove,
    /** Runs `make` the first time that the key comes; a failure of it frees the key. */
    once: async <Value>(row: OnceRow, make: () => Promise<Value>): Promise<OnceResult<Value>> => {
      const first = await claim(row);
      if (first !== row) return { kind: 'repeat', first };
      try {
        return { kind: 'made', value: await make() };
      } catch (error) {
        await remove(row);
        throw error;
      }
    },
    /** Inserts the row or replaces the row of its key. */
    put: async (row: OnceRow) => {
      await db
        .insertInto('onceKeys')
        .values(row)
        .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
        .execute();
    },
    /** Replaces an expired claim of another server; false if that row has changed. */
    takeOver: async (row: OnceRow, former: OnceRow): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('onceKeys')
        .set(row)
        .where('key', '=', former.key)
        .where('subject', '=', former.subject)
        .where('claimedUntil', former.claimedUntil === null ? 'is' : '=', former.claimedUntil)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    /** Ends all claims: no other server makes a call. */
    endClaims: async () => {
      await db
        .updateTable('onceKeys')
        .set({ claimedUntil: null })
        .where('claimedUntil', 'is not', null)
        .execute();
    },
    ...onceLimits(db),
  };
};

export type Once = ReturnType<typeof createOnce>;
