import type { Migration } from 'kysely/migration';

/** Files of the agent that go to a chat platform. */
export const channelFiles: Migration = {
  up: async ({ schema }) => {
    await schema.alterTable('channelReplies').addColumn('file', 'text').execute();
  },
};
