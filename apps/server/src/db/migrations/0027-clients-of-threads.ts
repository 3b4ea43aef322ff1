import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which client made a thread, and whether a run knows what is remembered of the person. */
export const clientsOfThreads: Migration = {
  up: async (db) => {
    await db.schema.alterTable('agentThreads').addColumn('owner', 'text').execute();
    for (const table of ['agentRuns', 'agentQueue']) {
      await db.schema
        .alterTable(table)
        .addColumn('usesMemory', 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
      // Until now: every run of the person, and no run of a client with its own rights.
      await sql`update ${sql.table(table)} set "usesMemory" = 1 where "groups" is null`.execute(db);
    }
    await sql`
      update "agentThreads" set "owner" = (
        select max("principal") from "rpcSessions"
        where "rpcSessions"."userId" = "agentThreads"."userId"
          and "rpcSessions"."threadId" = "agentThreads"."id" and "principal" <> 'person'
      )`.execute(db);
  },
};
