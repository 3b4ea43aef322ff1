import type { Migration } from 'kysely/migration';

/** Questions that are answered from notifications of devices. */
export const answersOfDevices: Migration = {
  up: async ({ schema }) => {
    await schema
      .alterTable('pushSubscriptions')
      .addColumn('answers', 'text', (column) => column.notNull().defaultTo('off'))
      .execute();
    await schema
      .createTable('pushAnswers')
      .addColumn('tokenDigest', 'text', (column) => column.primaryKey())
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('endpoint', 'text', (column) => column.notNull())
      .addColumn('session', 'text', (column) => column.notNull())
      .addColumn('askId', 'text', (column) => column.notNull())
      .addColumn('confirmationId', 'text')
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('offers', 'text', (column) => column.notNull())
      .addColumn('sentAt', 'bigint', (column) => column.notNull())
      .addColumn('expiresAt', 'bigint', (column) => column.notNull())
      .addColumn('usedAt', 'bigint')
      .execute();
  },
};
