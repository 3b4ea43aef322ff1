import type { Schema, Store } from '../../db/index.ts';
import type { Selectable } from 'kysely';

/** A lease on a periodic job: `at` is now, `until` when others may take it. */
export interface LeaseRequest {
  name: string;
  owner: string;
  at: number;
  until: number;
}

interface NewServer {
  id: string;
  version: string;
  at: number;
  /** Null for a server that stays. */
  drainingAt: number | null;
}

/** The servers of this store and the leases that they have. All times are the database's, in milliseconds. */
export const createServersStore = ({ db, now }: Pick<Store, 'db' | 'now'>) => ({
  now,
  /** Also where it is there already: the answer to an earlier attempt may have been lost. */
  add: async ({ id, version, at, drainingAt }: NewServer) => {
    await db
      .insertInto('servers')
      .values({ id, version, startedAt: at, seenAt: at, drainingAt })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seenAt: at, drainingAt }))
      .execute();
  },
  /** From that time on it gives up what it has. */
  markDraining: async (id: string, drainingAt: number) => {
    await db.updateTable('servers').set({ drainingAt }).where('id', '=', id).execute();
  },
  /** False where others have taken the server for dead. */
  renew: async (id: string, at: number): Promise<boolean> => {
    const { numUpdatedRows } = await db
      .updateTable('servers')
      .set({ seenAt: at })
      .where('id', '=', id)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  },
  remove: async (id: string) => {
    await db.deleteFrom('servers').where('id', '=', id).execute();
    await db.deleteFrom('jobLeases').where('owner', '=', id).execute();
  },
  /** Deletes the servers that were last seen before that time; returns the ids of those that it deleted. */
  removeDead: async (seenBefore: number): Promise<string[]> => {
    const dead = await db.deleteFrom('servers').where('seenAt', '<', seenBefore).returning('id').execute();
    return dead.map(({ id }) => id);
  },
  /** The ids of all servers that are not known to be dead. */
  all: async (): Promise<string[]> =>
    (await db.selectFrom('servers').select('id').execute()).map(({ id }) => id),
  /** The oldest first. */
  list: (): Promise<ServerRow[]> =>
    db.selectFrom('servers').selectAll().orderBy('startedAt').orderBy('id').execute(),
  /** False while another server has the lease. */
  lease: async ({ name, owner, at, until }: LeaseRequest): Promise<boolean> => {
    const leased = await db
      .insertInto('jobLeases')
      .values({ name, owner, until })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({ owner, until })
          .where((where) =>
            where.or([where('jobLeases.owner', '=', owner), where('jobLeases.until', '<=', at)]),
          ),
      )
      .returning('owner')
      .execute();
    return leased.length === 1;
  },
});

export type ServerRow = Selectable<Schema['servers']>;
export type ServersStore = ReturnType<typeof createServersStore>;
