import type { Migration } from 'kysely/migration';

/** When a person was here last, and which time their recap is about. */
export const visits: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('visits')
      .addColumn('userId', 'text', (column) => column.primaryKey())
      .addColumn('visitedAt', 'bigint', (column) => column.notNull())
      .addColumn('recapFrom', 'bigint')
      .addColumn('recapTo', 'bigint')
      .execute();
  },
};
