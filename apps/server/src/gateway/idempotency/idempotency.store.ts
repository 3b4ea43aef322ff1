import type { Kysely, Selectable } from 'kysely';
import type { IdempotencyTable, Schema } from '../../db/index.ts';

export type IdempotencyRow = Selectable<IdempotencyTable>;

export interface IdempotencyStore {
  /** Inserts the row unless its key exists; returns the stored row. */
  claim(row: IdempotencyRow): Promise<IdempotencyRow>;
  /** Inserts the row or replaces the row of its key. */
  put(row: IdempotencyRow): Promise<void>;
  byKey(key: string): Promise<IdempotencyRow | undefined>;
  /** Replaces an expired claim of another server; false if that row has changed. */
  takeOver(row: IdempotencyRow, former: IdempotencyRow): Promise<boolean>;
  /** Ends all claims: no other server makes a call. */
  endClaims(): Promise<void>;
  /** Deletes the row of that key if it belongs to that call. */
  remove(key: string, requestId: string): Promise<void>;
  /** Deletes the rows of all users up to that time. */
  sweep(until: number): Promise<void>;
  count(scope: string): Promise<number>;
  /** Deletes the oldest rows of a scope, except the newest `keep`. */
  trim(scope: string, keep: number): Promise<void>;
}

/** Rows arrive singly; more exceed the limit only after it was lowered. */
const trimmedAtOnce = 100;

export const createIdempotencyStore = (db: Kysely<Schema>): IdempotencyStore => {
  const byKey: IdempotencyStore['byKey'] = (key) =>
    db.selectFrom('callRepeats').selectAll().where('key', '=', key).executeTakeFirst();

  return {
    claim: async (row) => {
      await db
        .insertInto('callRepeats')
        .values(row)
        .onConflict((conflict) => conflict.column('key').doNothing())
        .execute();
      return (await byKey(row.key)) ?? row;
    },
    put: async (row) => {
      await db
        .insertInto('callRepeats')
        .values(row)
        .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
        .execute();
    },
    byKey,
    takeOver: async (row, former) => {
      const { numUpdatedRows } = await db
        .updateTable('callRepeats')
        .set(row)
        .where('key', '=', former.key)
        .where('requestId', '=', former.requestId)
        .where('claimedUntil', former.claimedUntil === null ? 'is' : '=', former.claimedUntil)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    endClaims: async () => {
      await db
        .updateTable('callRepeats')
        .set({ claimedUntil: null })
        .where('claimedUntil', 'is not', null)
        .execute();
    },
    remove: async (key, requestId) => {
      await db.deleteFrom('callRepeats').where('key', '=', key).where('requestId', '=', requestId).execute();
    },
    sweep: async (until) => {
      await db.deleteFrom('callRepeats').where('at', '<=', until).execute();
    },
    count: async (scope) => {
      const { count } = await db
        .selectFrom('callRepeats')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('scope', '=', scope)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    trim: async (scope, keep) => {
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
