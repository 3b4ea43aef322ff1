import type { Migration } from 'kysely/migration';

/** A person pauses a machine; a pairing token may name a machine, and may leave the default as it is. */
export const machinePauses: Migration = {
  up: async (db) => {
    await db.schema.alterTable('machines').addColumn('pausedAt', 'bigint').execute();
    await db.schema
      .alterTable('gatewayKeys')
      .addColumn('makesDefault', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
