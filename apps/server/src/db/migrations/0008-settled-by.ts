import type { Migration } from 'kysely/migration';

/** Records which answer settled a question that the user did not answer directly. */
export const settledBy: Migration = {
  up: async (db) => {
    await db.schema.alterTable('confirmations').addColumn('settledBy', 'text').execute();
  },
};
