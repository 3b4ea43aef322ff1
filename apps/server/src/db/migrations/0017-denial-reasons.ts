import type { Migration } from 'kysely/migration';

/** Records why the user denied a call, in the user's words. */
export const denialReasons: Migration = {
  up: async (db) => {
    await db.schema.alterTable('calls').addColumn('denialReason', 'text').execute();
  },
};
