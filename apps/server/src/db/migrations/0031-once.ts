import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Idempotency keys of calls and accepted deliveries of webhooks are in one table; each row lasted a day. */
export const once: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('onceKeys')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('endsAt', 'bigint', (column) => column.notNull())
      .addColumn('claimedUntil', 'bigint')
      .execute();
    await db.schema.createIndex('onceKeysEndsAt').on('onceKeys').column('endsAt').execute();
    await db.schema.createIndex('onceKeysScopeAt').on('onceKeys').columns(['scope', 'at']).execute();
    await sql`
      insert into "onceKeys" ("scope", "key", "digest", "subject", "userId", "at", "endsAt", "claimedUntil")
      select "scope", "key", "callDigest", "requestId", "userId", "at", "at" + 86400000, "claimedUntil"
      from "callRepeats" where "scope" is not null`.execute(db);
    await sql`
      insert into "onceKeys" ("scope", "key", "digest", "subject", "userId", "at", "endsAt", "claimedUntil")
      select 'hook ' || "hookId", "hookId" || ' ' || "key", '', "hookId", "userId", "at", "at" + 86400000, null
      from "hookDeliveries" inner join "hooks" on "hooks"."id" = "hookId"`.execute(db);
    await db.schema.dropTable('callRepeats').execute();
    await db.schema.dropTable('hookDeliveries').execute();
  },
};
