import type { Migration } from 'kysely/migration';

/** Named JSON documents of a thread. */
export const canvas: Migration = {
  up: async (db) => {
    await db.schema
      .alterTable('agentThreads')
      .addColumn('canvasRev', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('agentArtifacts')
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('threadId', 'text', (column) => column.notNull())
      .addColumn('artifactId', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('title', 'text')
      .addColumn('content', 'text', (column) => column.notNull())
      .addColumn('contentBytes', 'integer', (column) => column.notNull())
      .addColumn('metadata', 'text')
      .addColumn('rev', 'integer', (column) => column.notNull())
      .addColumn('createdAt', 'bigint', (column) => column.notNull())
      .addColumn('updatedAt', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('agentArtifactsKey', ['userId', 'threadId', 'artifactId'])
      .execute();
  },
};
