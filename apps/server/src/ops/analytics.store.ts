import { sql, type Kysely } from 'kysely';
import type { Schema } from '../db/index.ts';

/** The history of a thread's main agents. */
const mainHistory = 'main';
/** Written by a person or a model, not by the server. */
const ofConversation = ['person', 'model'] as const;
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
  };
};

export type AnalyticsStore = ReturnType<typeof createAnalyticsStore>;
