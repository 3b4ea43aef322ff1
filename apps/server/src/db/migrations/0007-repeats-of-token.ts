import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { dialectOf } from '../dialect.ts';

/**
 * Limits idempotency rows by token and client; earlier rows count for none and expire in a day. The calls of
 * a token or client are found by kind and id, because its name may change.
 */
export const repeatsOfToken: Migration = {
  up: async (db) => {
    await db.schema.dropIndex('callRepeatsUserAt').execute();
    await db.schema.alterTable('callRepeats').addColumn('scope', 'text').execute();
    await db.schema.createIndex('callRepeatsAt').on('callRepeats').column('at').execute();
    await db.schema
      .createIndex('callRepeatsScopeAt')
      .on('callRepeats')
      .columns(['scope', 'at'])
      .where(sql.ref('scope'), 'is not', null)
      .execute();
    await db.schema.dropIndex('callsVia').execute();
    // No store on Postgres has rows from before 0011, which gives both of them columns.
    if (dialectOf(db) === 'postgres') return;
    await db.schema
      .createIndex('callsOfMaker')
      .on('calls')
      .expression(
        sql`json_extract(via, '$.kind'), json_extract(via, '$.id'), ${sql.ref('userId')}, ${sql.ref('createdAt')}, ${sql.ref('requestId')}`,
      )
      .where(sql.ref('via'), 'is not', null)
      .execute();
  },
};
