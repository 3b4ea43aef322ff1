import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { dialectOf } from '../dialect.ts';

/** One index for open calls alone: with one of all states, a step read every call that has ended. */
const indexOpenCalls = async (db: Kysely<unknown>) => {
  await db.schema.dropIndex('agentToolCalls_state').execute();
  await db.schema
    .createIndex('agentOpenCalls')
    .on('agentToolCalls')
    .column('state')
    .where(sql.ref('endedAt'), 'is', null)
    .execute();
};

/** The time of a run without the time that it waited, whether a stop was orderly, and how an agent failed. */
const addColumns = async (db: Kysely<unknown>) => {
  await db.schema.alterTable('agentRuns').addColumn('approvedAt', 'bigint').execute();
  const ofRuns = { waitedMs: 'bigint', isPaused: 'integer' } as const;
  for (const [name, type] of Object.entries(ofRuns))
    await db.schema
      .alterTable('agentRuns')
      .addColumn(name, type, (column) => column.notNull().defaultTo(0))
      .execute();
  await db.schema.alterTable('agentAgents').addColumn('error', 'text').execute();
  await db.schema.alterTable('agentAgents').addColumn('failure', 'text').execute();
};

/**
 * The words of what the person and the main agent wrote. Ids are in hexadecimal digits: each is one word, and
 * finds its rows.
 */
const indexWords = async (db: Kysely<unknown>) => {
  const rowOf = (message: string) => `
    select hex(${message}."userId"), hex(${message}."threadId"), coalesce((
      select group_concat(substr(json_extract(part.value, '$.text'), 1, 32000), ' ')
      from json_each(${message}."parts") part where json_extract(part.value, '$.type') = 'text'
    ), '')`;
  const isShown = (message: string) =>
    `${message}."history" = 'main' and ${message}."source" in ('person', 'model')`;
  for (const text of [
    `create virtual table "agentWords" using fts5("userId", "threadId", "words")`,
    `create trigger "agentWordsOfMessage" after insert on "agentMessages" when ${isShown('new')} begin
      insert into "agentWords" ${rowOf('new')};
    end`,
    `create trigger "agentWordsOfThread" after delete on "agentThreads" begin
      delete from "agentWords" where rowid in (
        select rowid from "agentWords"
        where "agentWords" match 'userId:' || hex(old."userId") || ' AND threadId:' || hex(old."id")
      );
    end`,
    `insert into "agentWords" ${rowOf('message')} from "agentMessages" message where ${isShown('message')}`,
  ])
    await sql.raw(text).execute(db);
};

/** The same on Postgres, where the store writes the words of each message. */
const createWords = async (db: Kysely<unknown>) => {
  await db.schema
    .createTable('agentWords')
    .addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity())
    .addColumn('userId', 'text', (column) => column.notNull())
    .addColumn('threadId', 'text', (column) => column.notNull())
    .addColumn('words', sql`tsvector`, (column) => column.notNull())
    .execute();
  for (const text of [
    `create index "agentWordsByWord" on "agentWords" using gin ("words")`,
    `create index "agentWordsOfThread" on "agentWords" ("userId", "threadId")`,
    `create function "dropAgentWords"() returns trigger language plpgsql as $$ begin
      delete from "agentWords" where "userId" = old."userId" and "threadId" = old."id";
      return null;
    end $$`,
    `create trigger "agentWordsOfThread" after delete on "agentThreads"
      for each row execute function "dropAgentWords"()`,
  ])
    await sql.raw(text).execute(db);
};

/** An index of open calls, the time of runs, errors of agents, and a search in messages. */
export const agentSearch: Migration = {
  up: async (db) => {
    await indexOpenCalls(db);
    await addColumns(db);
    if (dialectOf(db) === 'sqlite') await indexWords(db);
    else await createWords(db);
  },
};
