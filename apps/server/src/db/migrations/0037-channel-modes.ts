import type { Migration } from 'kysely/migration';

/** How a chat platform's messages arrive. */
export const channelModes: Migration = {
  up: async ({ schema }) => {
    await schema.alterTable('channelAccounts').addColumn('mode', 'text').execute();
  },
};
