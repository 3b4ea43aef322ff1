import type { Kysely, Selectable } from 'kysely';
import type { CallRepeatTable, Schema } from '../../db/index.ts';

export type RepeatRow = Selectable<CallRepeatTable>;

export interface RepeatsStore {
  /** Inserts the row unless its key exists; returns the stored row. */
  claim(row: RepeatRow): Promise<RepeatRow>;
  /** Keeps the row in the place of whatever has its key. */
  put(row: RepeatRow): Promise<void>;
  byKey(key: string): Promise<RepeatRow | undefined>;
  /**
   * Puts the row in the place of a claim of another server, which ended; false where that has changed
   * since.
   */
  takeOver(row: RepeatRow, former: RepeatRow): Promise<boolean>;
  /** Ends all claims: no other server makes a call. */
  endClaims(): Promise<void>;
  /** Drops the row of that key, where it is of that call. */
  remove(key: string, requestId: string): Promise<void>;
  /** Drops what is from then or before, whosever it is. */
  sweep(until: number): Promise<void>;
  count(scope: string): Promise<number>;
  /** Drops the oldest of a scope, but for the newest `keep`. */
  trim(scope: string, keep: number): Promise<void>;
}

/** Rows come one by one; there are more beyond the limit only where it was lowered. */
const trimmedAtOnce = 100;

export const createRepeatsStore = (db: Kysely<Schema>): RepeatsStore => {
  const byKey: RepeatsStore['byKey'] = (key) =>
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
