import { mainHistory } from '@drawbridge/agent';
import { sql, type Kysely } from 'kysely';
import type { Schema } from '../db/index.ts';
import { createContextStore, threadsOf, type ThreadScope } from './context.store.ts';

/** Written by a person or a model, not by the server. */
const ofConversation = ['person', 'model'] as const;
const dayMs = 24 * 60 * 60 * 1_000;

/** How the threads of a scope are used. */
const createUse = (db: Kysely<Schema>) => {
  const messagesSince = (scope: ThreadScope, since: number) =>
    db
      .selectFrom('agentMessages')
      .where('userId', '=', scope.userId)
      .where('history', '=', mainHistory)
      .where('source', 'in', ofConversation)
      .where('createdAt', '>=', since)
      .$if(scope.principal !== null, (query) => query.where('threadId', 'in', threadsOf(db, scope)));

  return {
    /** Threads and messages of each day that has any, oldest first; `day` counts from 1970 in UTC. */
    daily: (scope: ThreadScope, since: number) =>
      messagesSince(scope, since)
        .select(({ fn }) => [
          sql<number>`"createdAt" / ${sql.lit(dayMs)}`.as('day'),
          fn.count<number>('threadId').distinct().as('sessions'),
          fn.countAll<number>().as('messages'),
        ])
        .groupBy('day')
        .orderBy('day')
        .execute(),
    totals: (scope: ThreadScope, since: number) =>
      messagesSince(scope, since)
        .select(({ fn }) => [
          fn.count<number>('threadId').distinct().as('sessions'),
          fn.countAll<number>().as('messages'),
        ])
        .executeTakeFirstOrThrow(),
    topThreads: (scope: ThreadScope, since: number, limit: number) =>
      messagesSince(scope, since)
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
    topTools: (scope: ThreadScope, since: number, limit: number) =>
      db
        .selectFrom('agentToolCalls')
        .select(({ fn }) => ['tool as toolName', fn.countAll<number>().as('executions')])
        .where('userId', '=', scope.userId)
        .where('startedAt', '>=', since)
        .$if(scope.principal !== null, (query) => query.where('threadId', 'in', threadsOf(db, scope)))
        .groupBy('tool')
        .orderBy('executions', 'desc')
        .orderBy('tool')
        .limit(limit)
        .execute(),
    titles: async (scope: ThreadScope, since: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('agentThreads')
        .select('title')
        .where('userId', '=', scope.userId)
        .where('updatedAt', '>=', since)
        .$if(scope.principal !== null, (query) => query.where('id', 'in', threadsOf(db, scope)))
        .execute();
      return rows.map(({ title }) => title);
    },
  };
};

/** Threads, messages and runs in numbers. Times in milliseconds since 1970. */
export const createOpsStore = (db: Kysely<Schema>) => ({
  ...createContextStore(db),
  ...createUse(db),
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
});

export type OpsStore = ReturnType<typeof createOpsStore>;
