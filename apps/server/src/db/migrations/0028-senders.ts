import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Whose words a message holds. Chats from before count as if they held text from outside. */
export const senders: Migration = {
  up: async (db) => {
    await db.schema
      .alterTable('agentMessages')
      .addColumn('sender', 'text', (column) => column.notNull().defaultTo('unknown'))
      .execute();
    await sql`update "agentMessages" set "sender" = case "source" when 'model' then 'model' else 'server' end
      where "source" <> 'person'`.execute(db);
    // Runs of access tokens once were written down as the person's: only another sender is certain.
    await sql`
      update "agentMessages" set "sender" = (
        select "sender" from "agentRuns"
        where "agentRuns"."userId" = "agentMessages"."userId" and "agentRuns"."id" = "agentMessages"."runId"
      )
      where "source" = 'person' and exists (
        select 1 from "agentRuns"
        where "agentRuns"."userId" = "agentMessages"."userId" and "agentRuns"."id" = "agentMessages"."runId"
          and "agentRuns"."sender" <> 'person'
      )`.execute(db);
    await sql`update "agentAgents" set "tainted" = 1`.execute(db);
  },
};
