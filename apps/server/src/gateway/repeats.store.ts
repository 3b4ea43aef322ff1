import type { Kysely, Selectable } from 'kysely';
import type { CallRepeatTable, Schema } from '../db/index.ts';

export type RepeatRow = Selectable<CallRepeatTable>;

export interface RepeatsStore {
  /** Keeps the row where there is none of its key; gives the one that is there then. */
  claim(row: RepeatRow): Promise<RepeatRow>;
  /** Keeps the row in the place of whatever has its key. */
  put(row: RepeatRow): Promise<void>;
  byKey(key: string): Promise<RepeatRow | undefined>;
  /** Drops the row of that key, where it is of that call. */
  remove(key: string, requestId: string): Promise<void>;
  /** Drops what the user had up to then, and gives how many are left. */
  sweep(userId: string, until: number): Promise<number>;
}

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
    remove: async (key, requestId) => {
      await db.deleteFrom('callRepeats').where('key', '=', key).where('requestId', '=', requestId).execute();
    },
    sweep: async (userId, until) => {
      await db.deleteFrom('callRepeats').where('userId', '=', userId).where('at', '<=', until).execute();
      const { count } = await db
        .selectFrom('callRepeats')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('userId', '=', userId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
  };
};
