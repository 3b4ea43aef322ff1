import type { AgentServers, Driven, ThreadKey } from '@drawbridge/agent';
import { openAgentStates } from '@drawbridge/agent/rows';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Schema, Store } from '../../db/index.ts';

/** Threads in which something is open: one row each. */
const openThreads = sql`
  select "userId", "threadId" from "agentAgents" where "state" in (${sql.join(openAgentStates)})
  union select "userId", "threadId" from "agentPlans" where "state" = 'active'
  union select "userId", "threadId" from "agentQueue" where "isHeld" = 0
  union select "userId", "threadId" from "agentCommands" where "state" <> 'done'`;

/** Of the row of `agentThreads` in a statement. */
const hasOpen: RawBuilder<boolean> = sql`exists (select 1 from (${openThreads}) as "open"
  where "open"."userId" = "agentThreads"."userId" and "open"."threadId" = "agentThreads"."id")`;

const threadOf = (db: Kysely<Schema>, { userId, threadId }: ThreadKey) =>
  db
    .selectFrom('agentThreads')
    .where('agentThreads.userId', '=', userId)
    .where('agentThreads.id', '=', threadId);

/** A thread that this server drives, by number. */
const guard = (db: Kysely<Schema>, { userId, threadId, driverId, fence }: Omit<Driven, 'wakes'>) =>
  db
    .updateTable('agentThreads')
    .where('userId', '=', userId)
    .where('id', '=', threadId)
    .where('driverId', '=', driverId)
    .where('fence', '=', fence);

/** Which server drives which thread. A server is gone once its row in `servers` is. */
export const createDriversStore = ({ db }: Pick<Store, 'db'>) => ({
  take: async (key: ThreadKey, driverId: string): ReturnType<AgentServers['take']> => {
    const row = await threadOf(db, key)
      .leftJoin('servers', 'servers.id', 'agentThreads.driverId')
      .select(['driverId', 'fence', 'servers.id as liveId'])
      .executeTakeFirst();
    if (!row) return 'missing';
    if (row.liveId !== null && row.driverId !== driverId) return 'elsewhere';
    const { userId, threadId } = key;
    const fence = row.fence + 1;
    const taken = await db
      .updateTable('agentThreads')
      .set({ driverId, fence })
      .where('userId', '=', userId)
      .where('id', '=', threadId)
      // Another server that takes it meanwhile raises the number.
      .where('fence', '=', row.fence)
      .returning('wakes')
      .executeTakeFirst();
    if (!taken) return 'elsewhere';
    const hasCrashed = row.driverId !== null && row.driverId !== driverId;
    return { userId, threadId, driverId, fence, wakes: taken.wakes, hasCrashed };
  },
  release: async (driven: Driven): Promise<boolean> => {
    const { numUpdatedRows } = await guard(db, driven)
      .set({ driverId: null })
      .where('wakes', '=', driven.wakes)
      .where(sql<boolean>`not ${hasOpen}`)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  },
  releaseAll: async (driverId: string): Promise<void> => {
    await db.updateTable('agentThreads').set({ driverId: null }).where('driverId', '=', driverId).execute();
  },
  /** Null where no server drives it. */
  driverOf: async (key: ThreadKey): Promise<string | null> =>
    (await threadOf(db, key).select('driverId').executeTakeFirst())?.driverId ?? null,
  driven: async (driverId: string): Promise<Driven[]> => {
    const rows = await db
      .selectFrom('agentThreads')
      .select(['userId', 'id as threadId', 'fence', 'wakes'])
      .where('driverId', '=', driverId)
      .execute();
    return rows.map((row) => ({ ...row, driverId }));
  },
  orphans: async (limit: number): Promise<ThreadKey[]> => {
    const { rows } = await sql<ThreadKey>`
      select "open"."userId", "open"."threadId" from (${openThreads}) as "open"
      inner join "agentThreads" as "thread"
        on "thread"."userId" = "open"."userId" and "thread"."id" = "open"."threadId"
      left join "servers" on "servers"."id" = "thread"."driverId"
      where "servers"."id" is null limit ${limit}`.execute(db);
    return rows;
  },
});

export type DriversStore = ReturnType<typeof createDriversStore>;
