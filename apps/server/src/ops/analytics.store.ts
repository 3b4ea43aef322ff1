import { mainHistory } from '@drawbridge/agent';
import { sql, type Kysely } from 'kysely';
import type { Schema } from '../db/index.ts';
import { threadsOf, type Whose } from './whose.store.ts';

/** Written by a person or a model, not by the server. */
const ofConversation = ['person', 'model'] as const;
const dayMs = 24 * 60 * 60 * 1_000;

/** What a user's threads say about their use. Times in milliseconds since 1970. */
export const createAnalyticsStore = (db: Kysely<Schema>) => {
  const messagesSince = (whose: Whose, since: number) =>
    db
      .selectFrom('agentMessages')
      .where('userId', '=', whose.userId)
      .where('history', '=', mainHistory)
      .where('source', 'in', ofConversation)
      .where('createdAt', '>=', since)
      .$if(whose.principal !== null, (query) => query.where('threadId', 'in', threadsOf(db, whose)));

  return {
    /** Threads and messages of each day that has any, oldest first; `day` counts from 1970 in UTC. */
    daily: (whose: Whose, since: number) =>
      messagesSince(whose, since)
        .select(({ fn }) => [
          sql<number>`"createdAt" / ${sql.lit(dayMs)}`.as('day'),
          fn.count<number>('threadId').distinct().as('sessions'),
          fn.countAll<number>().as('messages'),
        ])
        .groupBy('day')
        .orderBy('day')
        .execute(),
    totals: (whose: Whose, since: number) =>
      messagesSince(whose, since)
        .select(({ fn }) => [
          fn.count<number>('threadId').distinct().as('sessions'),
          fn.countAll<number>().as('messages'),
        ])
        .executeTakeFirstOrThrow(),
    topThreads: (whose: Whose, since: number, limit: number) =>
      messagesSince(whose, since)
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
    topTools: (whose: Whose, since: number, limit: number) =>
      db
        .selectFrom('agentToolCalls')
        .select(({ fn }) => ['tool as toolName', fn.countAll<number>().as('executions')])
        .where('userId', '=', whose.userId)
        .where('startedAt', '>=', since)
        .$if(whose.principal !== null, (query) => query.where('threadId', 'in', threadsOf(db, whose)))
        .groupBy('tool')
        .orderBy('executions', 'desc')
        .orderBy('tool')
        .limit(limit)
        .execute(),
    titles: async (whose: Whose, since: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('agentThreads')
        .select('title')
        .where('userId', '=', whose.userId)
        .where('updatedAt', '>=', since)
        .$if(whose.principal !== null, (query) => query.where('id', 'in', threadsOf(db, whose)))
        .execute();
      return rows.map(({ title }) => title);
    },
  };
};

export type AnalyticsStore = ReturnType<typeof createAnalyticsStore>;
