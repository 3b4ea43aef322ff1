import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Which server has the stream of a machine, and the number of that stream: it fences servers that had it
 * before.
 */
export const streamOwners: Migration = {
  up: async (db) => {
    await db.schema
      .alterTable('machines')
      .addColumn('stream', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable('machines').addColumn('serverId', 'text').execute();
    await db.schema
      .createIndex('openCallsOfMachine')
      .on('calls')
      .column('machineId')
      .where(sql.ref('endedAt'), 'is', null)
      .execute();
  },
};
