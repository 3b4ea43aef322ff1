import type { Kysely } from 'kysely';
import type { Schema } from '../db/index.ts';

/** Runs of the agent, of one user or of all. Times in milliseconds since 1970. */
export const createRunsStore = (db: Kysely<Schema>) => ({
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
});

export type RunsStore = ReturnType<typeof createRunsStore>;
