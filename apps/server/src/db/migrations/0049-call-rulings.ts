import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const newestFirst = ['userId', 'createdAt', 'requestId'];

/**
 * What decided a call. Of older calls only those with a kept question are known; the others stay null. The
 * index has every column that a filter reads.
 */
export const callRulings: Migration = {
  up: async (db) => {
    await db.schema.alterTable('calls').addColumn('ruling', 'text').execute();
    await sql`update calls set ruling = 'asked'
      where ${sql.ref('requestId')} in (select ${sql.ref('requestId')} from confirmations)`.execute(db);
    await db.schema.dropIndex('callsByFilter').execute();
    await db.schema
      .createIndex('callsByFilter')
      .on('calls')
      .columns([...newestFirst, 'machineId', 'tool', 'state', 'ruling', 'viaKind', 'viaId', 'subject'])
      .execute();
  },
};
