import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which server drives a thread of the agent, and what others ask it to do; unused by a single server. */
export const drivers: Migration = {
  up: async (db) => {
    const { schema } = db;
    await schema.alterTable('agentThreads').addColumn('driverId', 'text').execute();
    for (const name of ['fence', 'wakes'])
      await schema
        .alterTable('agentThreads')
        .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
    await schema
      .createIndex('agentThreadsOfDriver')
      .on('agentThreads')
      .column('driverId')
      .where(sql.ref('driverId'), 'is not', null)
      .execute();
    await schema
      .createTable('agentCommands')
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('threadId', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('senderId', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('reply', 'text')
      .addColumn('createdAt', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('agentCommandsKey', ['userId', 'threadId', 'id'])
      .execute();
    await schema.createIndex('agentCommandsByState').on('agentCommands').column('state').execute();
  },
};
