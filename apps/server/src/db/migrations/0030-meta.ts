import type { Migration } from 'kysely/migration';

/** What all servers of a store share, beside the rows of people. */
export const meta: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('meta')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute();
  },
};
