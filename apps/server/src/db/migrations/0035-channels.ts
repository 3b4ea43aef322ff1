import type { Migration } from 'kysely/migration';

/** Chat platforms: their bots, who may write there, what they wrote, and what goes back. */
export const channels: Migration = {
  up: async ({ schema }) => {
    await schema
      .createTable('channelAccounts')
      .addColumn('kind', 'text', (column) => column.primaryKey())
      .addColumn('isOn', 'integer', (column) => column.notNull())
      .addColumn('sealedKey', 'text')
      .addColumn('cursor', 'text')
      .addColumn('cursorAt', 'bigint')
      .addColumn('updatedAt', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createTable('channelCodes')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('sealedCode', 'text', (column) => column.notNull())
      .addColumn('groups', 'text', (column) => column.notNull())
      .addColumn('usesMemory', 'integer', (column) => column.notNull())
      .addColumn('expiresAt', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createTable('channelSenders')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('senderId', 'text', (column) => column.notNull())
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('groups', 'text', (column) => column.notNull())
      .addColumn('usesMemory', 'integer', (column) => column.notNull())
      .addColumn('pairedAt', 'bigint', (column) => column.notNull())
      .addColumn('lastSeenAt', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('channelSendersKey', ['kind', 'senderId'])
      .execute();
    await schema.createIndex('channelSendersOfUser').on('channelSenders').column('userId').execute();
    await schema
      .createTable('channelMessages')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('updateId', 'text', (column) => column.notNull())
      .addColumn('conversation', 'text', (column) => column.notNull())
      .addColumn('senderId', 'text', (column) => column.notNull())
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('sentAt', 'bigint', (column) => column.notNull())
      .addColumn('receivedAt', 'bigint', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('channelMessagesKey', ['kind', 'updateId'])
      .execute();
    await schema
      .createIndex('channelMessagesByState')
      .on('channelMessages')
      .columns(['state', 'receivedAt'])
      .execute();
    await schema
      .createTable('channelReplies')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('conversation', 'text', (column) => column.notNull())
      .addColumn('senderId', 'text', (column) => column.notNull())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('createdAt', 'bigint', (column) => column.notNull())
      .addColumn('part', 'integer', (column) => column.notNull())
      .addColumn('problem', 'text')
      .execute();
    await schema
      .createIndex('channelRepliesByState')
      .on('channelReplies')
      .columns(['state', 'createdAt', 'part'])
      .execute();
  },
};
