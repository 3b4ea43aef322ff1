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
