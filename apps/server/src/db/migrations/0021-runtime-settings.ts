import type { Migration } from 'kysely/migration';

export const runtimeSettings: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('runtimeSettings')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('values', 'text', (column) => column.notNull())
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('updatedAt', 'bigint', (column) => column.notNull())
      .execute();
  },
};
