import type { Migration } from 'kysely/migration';

/**
 * What stays known of a machine that is away: its modes, when it was last seen, and its rules as it reported
 * them last.
 */
export const knownMachines: Migration = {
  up: async (db) => {
    await db.schema.alterTable('machines').addColumn('modes', 'text').execute();
    await db.schema.alterTable('machines').addColumn('lastSeenAt', 'bigint').execute();
    await db.schema.alterTable('machines').addColumn('rules', 'text').execute();
  },
};
