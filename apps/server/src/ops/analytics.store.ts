import { sql, type Kysely } from 'kysely';
import type { Schema } from '../db/index.ts';

/** The history of a thread's main agents. */
const mainHistory = 'main';
/** Written by a person or a model, not by the server. */
const ofConversation = ['person', 'model'] as const;
/** Bytes of a tool's result for each token. */
const bytesPerToken = 3.5;
const dayMs = 24 * 60 * 60 * 1_000;

/** What a user's threads say about their use. Times in milliseconds since 1970. */
export const createAnalyticsStore = (db: Kysely<Schema>) => {
  const messagesSince = (userId: string, since: number) =>
    db
      .selectFrom('agentMessages')
      .where('userId', '=', userId)
      .where('history', '=', mainHistory)
      .where('source', 'in', ofConversation)
      .where('createdAt', '>=', since);

  const total = ({ tokens }: { tokens: number | null }) => tokens ?? 0;

  /** Up to which message the notes of a thread have replaced its messages, and their length. */
  const notesOf = async (userId: string, threadId: string) => {
    const { upTo, tokens } = await db
      .selectFrom('agentNotes')
      .select(({ fn }) => [
        fn.max<number | null>('upToSeq').as('upTo'),
        fn.sum<number | null>('tokens').as('tokens'),
      ])
      .where('userId', '=', userId)
      .where('threadId', '=', threadId)
      .where('history', '=', mainHistory)
      .where('replacedAt', 'is', null)
      .executeTakeFirstOrThrow();
    return { from: upTo ?? -1, tokens: tokens ?? 0 };
  };

  return {
    /** Threads and messages of each day that has any, oldest first; `day` counts from 1970 in UTC. */
    daily: (userId: string, since: number) =>
      messagesSince(userId, since)
        .select(({ fn }) => [
          sql<number>`"createdAt" / ${dayMs}`.as('day'),
          fn.count<number>('threadId').distinct().as('sessions'),
          fn.countAll<number>().as('messages'),
        ])
        .groupBy('day')
        .orderBy('day')
        .execute(),
    totals: (userId: string, since: number) =>
      messagesSince(userId, since)
        .select(({ fn }) => [
          fn.count<number>('threadId').distinct().as('sessions'),
          fn.countAll<number>().as('messages'),
        ])
        .executeTakeFirstOrThrow(),
    topThreads: (userId: string, since: number, limit: number) =>
      messagesSince(userId, since)
        .select(({ fn }) => [
          'threadId',
          fn.countAll<number>().as('messages'),
          fn.max<number>('createdAt').as('lastAt'),
        ])
        .groupBy('threadId')
        .orderBy('messages', 'desc')
        .orderBy('lastAt', 'desc')
        .limit(limit)
        .execute(),
    topTools: (userId: string, since: number, limit: number) =>
      db
        .selectFrom('agentToolCalls')
        .select(({ fn }) => ['tool as toolName', fn.countAll<number>().as('executions')])
        .where('userId', '=', userId)
        .where('startedAt', '>=', since)
        .groupBy('tool')
        .orderBy('executions', 'desc')
        .orderBy('tool')
        .limit(limit)
        .execute(),
    titles: async (userId: string, since: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('agentThreads')
        .select('title')
        .where('userId', '=', userId)
        .where('updatedAt', '>=', since)
        .execute();
      return rows.map(({ title }) => title);
    },
    /** The threads that were used last. */
    newestThreads: async (userId: string, limit: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('agentThreads')
        .select('id')
        .where('userId', '=', userId)
        .orderBy('updatedAt', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    countThreads: async (userId: string | null): Promise<number> => {
      const { count } = await db
        .selectFrom('agentThreads')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .$if(userId !== null, (query) => query.where('userId', '=', userId ?? ''))
        .executeTakeFirstOrThrow();
      return count;
    },
    /** The estimated length of a thread's next request, without the system prompt and the tools. */
    contextTokens: async (userId: string, threadId: string): Promise<number> => {
      const { from, tokens: notes } = await notesOf(userId, threadId);
      const messages = db
        .selectFrom('agentMessages')
        .where('userId', '=', userId)
        .where('threadId', '=', threadId)
        .where('history', '=', mainHistory)
        .where('seq', '>', from);
      const said = await messages
        .select(({ fn }) => fn.sum<number | null>('tokens').as('tokens'))
        .executeTakeFirstOrThrow();
      const results = await db
        .selectFrom('agentToolCalls')
        .innerJoin('agentAgents', (join) =>
          join
            .onRef('agentAgents.userId', '=', 'agentToolCalls.userId')
            .onRef('agentAgents.id', '=', 'agentToolCalls.agentId'),
        )
        .select(sql<number | null>`sum(octet_length("result")) / ${bytesPerToken}`.as('tokens'))
        .where('agentToolCalls.userId', '=', userId)
        .where('agentToolCalls.threadId', '=', threadId)
        .where('agentAgents.kind', '=', 'main')
        .where(
          'agentToolCalls.startedAt',
          '>=',
          messages.select(({ fn }) => fn.min('createdAt').as('first')),
        )
        .executeTakeFirstOrThrow();
      return Math.ceil(notes + total(said) + total(results));
    },
    /** Of the ids those that name a run of the user. */
    ownRuns: async (userId: string, runIds: string[]): Promise<Set<string>> => {
      const rows = await db
        .selectFrom('agentRuns')
        .select('id')
        .where('userId', '=', userId)
        .where('id', 'in', runIds)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
    /** Runs that began since then by their state, of one user or of all. */
    runs: async (userId: string | null, since: number) =>
      db
        .selectFrom('agentRuns')
        .select(({ fn }) => [
          'state',
          fn.countAll<number>().as('count'),
          fn.count<number>('stopAskedAt').as('stopAsked'),
        ])
        .$if(userId !== null, (query) => query.where('userId', '=', userId ?? ''))
        .where('startedAt', '>=', since)
        .groupBy('state')
        .execute(),
    /** How long the newest cancelled runs took to end, in milliseconds, newest first. */
    cancelLatencies: async (userId: string | null, since: number, limit: number): Promise<number[]> => {
      const rows = await db
        .selectFrom('agentRuns')
        .select(['stopAskedAt', 'endedAt'])
        .$if(userId !== null, (query) => query.where('userId', '=', userId ?? ''))
        .where('startedAt', '>=', since)
        .where('stopAskedAt', 'is not', null)
        .where('endedAt', 'is not', null)
        .orderBy('endedAt', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ stopAskedAt, endedAt }) => Math.max(0, (endedAt ?? 0) - (stopAskedAt ?? 0)));
    },
    /** Messages that wait for their run. */
    waiting: async (userId: string | null): Promise<number> => {
      const { count } = await db
        .selectFrom('agentQueue')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .$if(userId !== null, (query) => query.where('userId', '=', userId ?? ''))
        .executeTakeFirstOrThrow();
      return count;
    },
    /** Messages of people since then, of one user or of all. */
    messagesOfPeople: async (userId: string | null, since: number): Promise<number> => {
      const { count } = await db
        .selectFrom('agentMessages')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .$if(userId !== null, (query) => query.where('userId', '=', userId ?? ''))
        .where('source', '=', 'person')
        .where('createdAt', '>=', since)
        .executeTakeFirstOrThrow();
      return count;
    },
  };
};

export type AnalyticsStore = ReturnType<typeof createAnalyticsStore>;
