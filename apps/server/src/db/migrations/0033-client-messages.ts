import type { Migration } from 'kysely/migration';

/** What a client sends to a request of its own that another server answers; unused by a single server. */
export const clientMessages: Migration = {
  up: async ({ schema }) => {
    await schema
      .createTable('clientMessages')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('body', 'text')
      .addColumn('endsAt', 'bigint', (column) => column.notNull())
      .execute();
    await schema.createIndex('clientMessagesEndsAt').on('clientMessages').column('endsAt').execute();
  },
};
