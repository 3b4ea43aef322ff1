import type { Migration } from 'kysely/migration';
import { dialectOf } from '../dialect.ts';

export const agentSettings: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('agentSettings')
      .addColumn('scope', 'text', (column) => column.primaryKey())
      .addColumn('values', 'text', (column) => column.notNull())
      .addColumn('sealedKeys', 'text', (column) => column.notNull())
      .addColumn('updatedAt', dialectOf(db) === 'postgres' ? 'bigint' : 'integer', (column) =>
        column.notNull(),
      )
      .execute();
  },
};
