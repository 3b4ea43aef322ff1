import type { Migration } from 'kysely/migration';

/** The chat in which a question was answered. */
export const decidedVia: Migration = {
  up: async ({ schema }) => {
    await schema.alterTable('confirmations').addColumn('decidedVia', 'text').execute();
  },
};
