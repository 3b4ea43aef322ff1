import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Companions, and what each of several servers has seen of people and programs. */
export const companionsAndPresence: Migration = {
  up: async ({ schema }) => {
    await schema
      .createTable('companions')
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('nodeId', 'text', (column) => column.notNull())
      .addColumn('serverId', 'text')
      .addColumn('connectionId', 'text')
      .addColumn('declared', 'text', (column) => column.notNull())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('status', 'text')
      .addColumn('sealedLocation', 'text')
      .addPrimaryKeyConstraint('companionsKey', ['userId', 'key'])
      .execute();
    await schema
      .createIndex('companionsOfConnection')
      .on('companions')
      .column('connectionId')
      .where(sql.ref('connectionId'), 'is not', null)
      .execute();
    await schema
      .createTable('presence')
      .addColumn('serverId', 'text', (column) => column.notNull())
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('senderId', 'text', (column) => column.notNull())
      .addColumn('senderName', 'text', (column) => column.notNull())
      .addColumn('firstSeenAt', 'bigint', (column) => column.notNull())
      .addColumn('lastSeenAt', 'bigint', (column) => column.notNull())
      .addColumn('messageCount', 'integer', (column) => column.notNull())
      .addColumn('open', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('presenceKey', ['serverId', 'userId', 'channel', 'senderId'])
      .execute();
    await schema.createIndex('presenceOfUser').on('presence').column('userId').execute();
  },
};
