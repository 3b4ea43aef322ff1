import type { Migration } from 'kysely/migration';

/** Which token or client a call came through. */
export const callsVia: Migration = {
  up: async (db) => {
    await db.schema.alterTable('calls').addColumn('via', 'text').execute();
  },
};
