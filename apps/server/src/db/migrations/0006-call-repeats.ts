import type { Migration } from 'kysely/migration';

/** What tells the repeat of a call from a new one. */
export const callRepeats: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('callRepeats')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('requestId', 'text', (column) => column.notNull())
      .addColumn('callDigest', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('callRepeatsUserAt').on('callRepeats').columns(['userId', 'at']).execute();
  },
};
