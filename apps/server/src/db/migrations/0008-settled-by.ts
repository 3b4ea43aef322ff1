import type { Migration } from 'kysely';

/** Which answer settled a question that nobody answered itself. */
export const settledBy: Migration = {
  up: async (db) => {
    await db.schema.alterTable('confirmations').addColumn('settledBy', 'text').execute();
  },
};
