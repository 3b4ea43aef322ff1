import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { dialectOf } from '../dialect.ts';

/**
 * A call's revision guards each change of its row. Token and client get columns, which both dialects can
 * index.
 */
export const callRevisions: Migration = {
  up: async (db) => {
    await db.schema
      .alterTable('calls')
      .addColumn('rev', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable('calls').addColumn('viaKind', 'text').execute();
    await db.schema.alterTable('calls').addColumn('viaId', 'text').execute();
    if (dialectOf(db) === 'sqlite') {
      await sql`update calls set "viaKind" = json_extract(via, '$.kind'), "viaId" = json_extract(via, '$.id') where via is not null and json_valid(via)`.execute(
        db,
      );
      await db.schema.dropIndex('callsOfMaker').execute();
    }
    await db.schema
      .createIndex('callsOfMaker')
      .on('calls')
      .columns(['viaKind', 'viaId', 'userId', 'createdAt', 'requestId'])
      .where(sql.ref('viaKind'), 'is not', null)
      .execute();
  },
};
