import type { Migration } from 'kysely/migration';

/** Questions that are answered from chats by buttons. */
export const channelQuestions: Migration = {
  up: async ({ schema }) => {
    for (const table of ['channelAccounts', 'channelSenders'])
      await schema
        .alterTable(table)
        .addColumn('answers', 'text', (column) => column.notNull().defaultTo('off'))
        .execute();
    const replies = schema.alterTable('channelReplies');
    await replies.addColumn('messageId', 'text').execute();
    await replies.addColumn('sentAt', 'bigint').execute();
    await replies.addColumn('edits', 'text').execute();
    await schema
      .createTable('channelQuestions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('conversation', 'text', (column) => column.notNull())
      .addColumn('senderId', 'text', (column) => column.notNull())
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('askId', 'text', (column) => column.notNull())
      .addColumn('confirmationId', 'text')
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('tokenDigest', 'text', (column) => column.notNull().unique())
      .addColumn('sealedToken', 'text', (column) => column.notNull())
      .addColumn('offers', 'text', (column) => column.notNull())
      .addColumn('expiresAt', 'bigint')
      .addColumn('createdAt', 'bigint', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('answer', 'text')
      .execute();
    await schema.createIndex('channelQuestionsByState').on('channelQuestions').column('state').execute();
  },
};
