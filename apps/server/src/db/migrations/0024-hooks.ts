import type { Migration } from 'kysely/migration';

/** Webhooks that programs post to. */
export const hooks: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('hooks')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('threadId', 'text', (column) => column.notNull())
      .addColumn('groups', 'text', (column) => column.notNull())
      .addColumn('secret', 'text', (column) => column.notNull())
      .addColumn('createdAt', 'bigint', (column) => column.notNull())
      .addColumn('lastUsedAt', 'bigint')
      .addUniqueConstraint('hooks_name', ['userId', 'name'])
      .execute();
    await db.schema.createIndex('hooks_byName').on('hooks').column('name').execute();
    await db.schema
      .createTable('hookDeliveries')
      .addColumn('hookId', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('hookDeliveries_key', ['hookId', 'key'])
      .execute();
  },
};
