import type { Kysely } from 'kysely';
import type { Schema } from '../../db/index.ts';

/** What one server of several has. */
export const createHeldStore = (db: Kysely<Schema>) => ({
  /** Threads of the agent that it drives. */
  threads: async (serverId: string): Promise<number> => {
    const { count } = await db
      .selectFrom('agentThreads')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('driverId', '=', serverId)
      .executeTakeFirstOrThrow();
    return count;
  },
  /** Periodic jobs that it does for all servers. */
  jobs: async (serverId: string, at: number): Promise<string[]> => {
    const rows = await db
      .selectFrom('jobLeases')
      .select('name')
      .where('owner', '=', serverId)
      .where('until', '>', at)
      .execute();
    return rows.map(({ name }) => name);
  },
});
