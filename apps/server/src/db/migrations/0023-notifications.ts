import type { Migration } from 'kysely/migration';

/** Devices and webhooks that are told of questions. */
export const notifications: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('pushSubscriptions')
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('endpoint', 'text', (column) => column.notNull())
      .addColumn('p256dh', 'text', (column) => column.notNull())
      .addColumn('auth', 'text', (column) => column.notNull())
      .addColumn('session', 'text', (column) => column.notNull())
      .addColumn('createdAt', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('pushSubscriptions_key', ['userId', 'endpoint'])
      .execute();
    await db.schema
      .createTable('notificationSettings')
      .addColumn('userId', 'text', (column) => column.primaryKey())
      .addColumn('when', 'text', (column) => column.notNull())
      .addColumn('webhookUrl', 'text')
      .addColumn('webhookSecret', 'text')
      .addColumn('updatedAt', 'bigint', (column) => column.notNull())
      .execute();
  },
};
