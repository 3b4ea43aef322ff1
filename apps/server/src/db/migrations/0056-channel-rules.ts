import type { Migration } from 'kysely/migration';

/** What an account wants done with messages, mails and emojis of its senders, in order. */
export const channelRules: Migration = {
  up: async ({ schema }) => {
    await schema
      .createTable('channelRules')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('isOn', 'integer', (column) => column.notNull())
      .addColumn('condition', 'text', (column) => column.notNull())
      .addColumn('effect', 'text', (column) => column.notNull())
      .execute();
    await schema.createIndex('channelRulesOfUser').on('channelRules').column('userId').execute();
  },
};
