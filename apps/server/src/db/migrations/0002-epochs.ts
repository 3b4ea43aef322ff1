import { sql, type Migration } from 'kysely';

/** Which daemon a call was given to, from which on the present one knows what was sent, and why a key was taken back. */
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
