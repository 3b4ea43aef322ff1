import type { Migration } from 'kysely/migration';

/** Whether a person gets a notification when a long run has ended: 1, else 0. */
export const endsOfRuns: Migration = {
  up: async ({ schema }) => {
    await schema
      .alterTable('notificationSettings')
      .addColumn('runEnds', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
