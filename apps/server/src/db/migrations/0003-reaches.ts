import type { Migration } from 'kysely/migration';

/** How far an answer to a question goes. */
export const reaches: Migration = {
  up: async (db) => {
    await db.schema.alterTable('confirmations').addColumn('reach', 'text').execute();
  },
};
