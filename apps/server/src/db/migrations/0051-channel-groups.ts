import type { Migration } from 'kysely/migration';

/** Groups of chat platforms in which the bot answers, and where a sender reads what is for them alone. */
export const channelGroups: Migration = {
  up: async ({ schema }) => {
    await schema
      .createTable('channelGroups')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('conversation', 'text', (column) => column.notNull())
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('isOn', 'integer', (column) => column.notNull())
      .addColumn('groups', 'text', (column) => column.notNull())
      .addColumn('seenAt', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('channelGroupsKey', ['kind', 'conversation', 'userId'])
      .execute();
    await schema.createIndex('channelGroupsOfUser').on('channelGroups').column('userId').execute();
    await schema.alterTable('channelSenders').addColumn('address', 'text').execute();
  },
};
