import type { Migration } from 'kysely/migration';

/** Tickets that open a WebSocket once, and the names of the agent's threads at the JSON-RPC door. */
export const rpc: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('rpcTickets')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('sessionToken', 'text', (column) => column.notNull())
      .addColumn('expiresAt', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('rpcSessions')
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('sessionId', 'text', (column) => column.notNull())
      .addColumn('threadId', 'text', (column) => column.notNull())
      .addColumn('createdAt', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('rpcSessions_key', ['userId', 'principal', 'sessionId'])
      .execute();
    await db.schema
      .createIndex('rpcSessionOfThread')
      .unique()
      .on('rpcSessions')
      .columns(['userId', 'threadId'])
      .execute();
  },
};
