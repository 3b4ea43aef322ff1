import { sql } from 'kysely';
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

const noRecord = '{"overrides":{},"droppedCount":0,"droppedTexts":[]}';

/** Messages wait in lanes: with a mode, a sender and the rights of their run. */
export const lanes: Migration = {
  up: async (db) => {
    const { schema } = db;
    const add = (table: string, column: string, value: string) =>
      schema
        .alterTable(table)
        .addColumn(column, 'text', (made) => made.notNull().defaultTo(value))
        .execute();
    const addNullable = (table: string, column: string) =>
      schema.alterTable(table).addColumn(column, 'text').execute();
    await add('agentQueue', 'mode', 'followup');
    await add('agentQueue', 'sender', 'person');
    await add('agentQueue', 'channel', 'panel');
    for (const column of ['groups', 'timeZone', 'key']) await addNullable('agentQueue', column);
    await schema
      .alterTable('agentQueue')
      .addColumn('isHeld', 'integer', (made) => made.notNull().defaultTo(0))
      .execute();
    await add('agentRuns', 'sender', 'person');
    await addNullable('agentRuns', 'groups');
    await add('agentThreads', 'lane', noRecord);
    // What Stop had paused for a whole thread is now held message by message.
    await sql`update "agentQueue" set "isHeld" = 1 where exists (
      select 1 from "agentThreads" as "thread" where "thread"."queuePaused" = 1
      and "thread"."userId" = "agentQueue"."userId" and "thread"."id" = "agentQueue"."threadId")`.execute(db);
    await schema.alterTable('agentThreads').dropColumn('queuePaused').execute();
    await schema
      .createTable('agentRequests')
      .addColumn('userId', 'text', (column) => column.notNull())
      .addColumn('sender', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('threadId', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('outcome', 'text')
      .addColumn('createdAt', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('agentRequestsKey', ['userId', 'sender', 'key'])
      .execute();
    await schema
      .createIndex('agentRequestsOfThread')
      .on('agentRequests')
      .columns(['userId', 'threadId'])
      .execute();
    await schema.createIndex('agentRequestsByTime').on('agentRequests').column('createdAt').execute();
  },
};
