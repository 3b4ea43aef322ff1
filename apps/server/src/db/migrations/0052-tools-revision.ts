import type { Migration } from 'kysely/migration';

/** The number of a machine's list of tools: one that arrives late does not replace a newer one. */
export const toolsRevision: Migration = {
  up: async ({ schema }) => {
    await schema
      .alterTable('machines')
      .addColumn('toolsRevision', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
