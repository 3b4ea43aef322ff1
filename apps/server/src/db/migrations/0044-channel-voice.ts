import type { Migration } from 'kysely/migration';

/** Voice messages that are answered by one. */
export const channelVoice: Migration = {
  up: async ({ schema }) => {
    await schema
      .alterTable('channelSenders')
      .addColumn('speak', 'text', (column) => column.notNull().defaultTo('voice'))
      .execute();
    for (const table of ['channelMessages', 'channelReplies'])
      await schema
        .alterTable(table)
        .addColumn('isSpoken', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
  },
};
