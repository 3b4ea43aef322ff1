import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/** What all servers of a store share: texts by key. */
export const createMetaStore = (db: Kysely<Schema>) => {
  const find = async (key: string): Promise<string | null> => {
    const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
    return row?.value ?? null;
  };
  return {
    find,
    /** The text of `key`; `value` where no text is stored. Two servers that start together get the same. */
    findOrInsert: async (key: string, value: string): Promise<string> => {
      await db
        .insertInto('meta')
        .values({ key, value })
        .onConflict((conflict) => conflict.column('key').doNothing())
        .execute();
      return (await find(key)) ?? value;
    },
    replace: async (key: string, value: string): Promise<void> => {
      await db
        .insertInto('meta')
        .values({ key, value })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
        .execute();
    },
  };
};

export type MetaStore = ReturnType<typeof createMetaStore>;
