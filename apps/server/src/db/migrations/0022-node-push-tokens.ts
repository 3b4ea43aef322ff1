import type { Migration } from 'kysely/migration';

export const nodePushTokens: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('nodePushTokens')
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('nodeId', 'text', (column) => column.notNull())
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addColumn('preview', 'text', (column) => column.notNull())
      .addColumn('updatedAt', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('nodePushTokens_pk', ['userId', 'nodeId'])
      .execute();
  },
};
