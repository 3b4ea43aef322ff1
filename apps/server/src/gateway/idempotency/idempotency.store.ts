import type { Kysely, Selectable } from 'kysely';
import type { IdempotencyTable, Schema } from '../../db/index.ts';

export type IdempotencyRow = Selectable<IdempotencyTable>;

/** Rows arrive singly; more exceed the limit only after it was lowered. */
const trimmedAtOnce = 100;

export const createIdempotencyStore = (db: Kysely<Schema>) => {
  const byKey = (key: string): Promise<IdempotencyRow | undefined> =>
    db.selectFrom('callRepeats').selectAll().where('key', '=', key).executeTakeFirst();

  return {
    /** Inserts the row unless its key exists; returns the stored row. */
    claim: async (row: IdempotencyRow): Promise<IdempotencyRow> => {
      await db
        .insertInto('callRepeats')
        .values(row)
        .onConflict((conflict) => conflict.column('key').doNothing())
        .execute();
      return (await byKey(row.key)) ?? row;
    },
    /** Inserts the row or replaces the row of its key. */
    put: async (row: IdempotencyRow) => {
      await db
        .insertInto('callRepeats')
        .values(row)
        .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
        .execute();
    },
    byKey,
    /** Replaces an expired claim of another server; false if that row has changed. */
    takeOver: async (row: IdempotencyRow, former: IdempotencyRow): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('callRepeats')
        .set(row)
        .where('key', '=', former.key)
        .where('requestId', '=', former.requestId)
        .where('claimedUntil', former.claimedUntil === null ? 'is' : '=', former.claimedUntil)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    /** Ends all claims: no other server makes a call. */
    endClaims: async () => {
      await db
        .updateTable('callRepeats')
        .set({ claimedUntil: null })
        .where('claimedUntil', 'is not', null)
        .execute();
    },
    /** Deletes the row of that key if it belongs to that call. */
    remove: async (key: string, requestId: string) => {
      await db.deleteFrom('callRepeats').where('key', '=', key).where('requestId', '=', requestId).execute();
    },
    /** Deletes the rows of all users up to that time. */
    sweep: async (until: number) => {
      await db.deleteFrom('callRepeats').where('at', '<=', until).execute();
    },
    count: async (scope: string): Promise<number> => {
      const { count } = await db
        .selectFrom('callRepeats')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('scope', '=', scope)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    /** Deletes the oldest rows of a scope, except the newest `keep`. */
    trim: async (scope: string, keep: number) => {
      const old = await db
        .selectFrom('callRepeats')
        .select('key')
        .where('scope', '=', scope)
        .orderBy('at', 'desc')
        .orderBy('key')
        .limit(trimmedAtOnce)
        .offset(keep)
        .execute();
      if (old.length === 0) return;
      const keys = old.map(({ key }) => key);
      await db.deleteFrom('callRepeats').where('key', 'in', keys).execute();
    },
  };
};

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;
