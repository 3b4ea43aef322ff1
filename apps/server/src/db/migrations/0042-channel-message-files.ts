import type { Migration } from 'kysely/migration';

/** Files that people send from a chat platform. */
export const channelMessageFiles: Migration = {
  up: async ({ schema }) => {
    await schema.alterTable('channelMessages').addColumn('files', 'text').execute();
  },
};
