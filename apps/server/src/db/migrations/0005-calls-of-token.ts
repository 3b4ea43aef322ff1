import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The calls of one token or client, newest first. Most calls come through none and are not in it. */
export const callsOfToken: Migration = {
  up: async (db) => {
    await db.schema
      .createIndex('callsVia')
      .on('calls')
      .columns(['via', 'userId', 'createdAt', 'requestId'])
      .where(sql.ref('via'), 'is not', null)
      .execute();
  },
};
