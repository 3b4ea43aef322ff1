import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the daemon epoch of a call, the first epoch of the present daemon, and the reason of a revocation. */
export const epochs: Migration = {
  up: async (db) => {
    await db.schema.alterTable('calls').addColumn('epoch', 'integer').execute();
    await sql`update "calls" set "epoch" = 1 where "endedAt" is null and "deliveredAt" is not null`.execute(
      db,
    );
    await db.schema
      .alterTable('machines')
      .addColumn('resumesFrom', 'integer', (column) => column.notNull().defaultTo(1))
      .execute();
    await db.schema.alterTable('machines').addColumn('problem', 'text').execute();
  },
};
