import type { Migration } from 'kysely/migration';

/** Accounts that were removed and whose machines and calls are still to be deleted. */
export const removedUsers: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('removedUsers')
      .addColumn('userId', 'text', (column) => column.primaryKey())
      .execute();
  },
};
