import type { Kysely } from 'kysely';
import { inParts, type Schema } from '../db/index.ts';

type Row = Schema['companions'];
type Name = Pick<Row, 'userId' | 'key'>;

/** A companion, and when the server of its connection was last seen; null for one that is gone. */
export type StoredCompanion = Row & { serverSeenAt: number | null };

/** SQLite wants a limit where there is an offset. */
const trimmedAtOnce = 10_000;

/** What is not kept. */
const createCleaning = (db: Kysely<Schema>) => ({
  /** Deletes those of the user that went away before that time, and of all that are away the oldest. */
  trim: async (userId: string, { before, most }: { before: number; most: number }) => {
    const isAway = () =>
      db.deleteFrom('companions').where('userId', '=', userId).where('connectionId', 'is', null);
    await isAway().where('at', '<', before).execute();
    const oldest = db
      .selectFrom('companions')
      .select('key')
      .where('userId', '=', userId)
      .orderBy('at', 'desc')
      .limit(trimmedAtOnce)
      .offset(most);
    await isAway().where('key', 'in', oldest).execute();
  },
  /** Connections of servers that are gone are closed. */
  closeOfDead: async (here: string) => {
    await db
      .updateTable('companions')
      .set({ serverId: null, connectionId: null })
      .where('serverId', '<>', here)
      .where('serverId', 'not in', ({ selectFrom }) => selectFrom('servers').select('servers.id'))
      .execute();
  },
  forget: async (before: number) => {
    await db.deleteFrom('companions').where('connectionId', 'is', null).where('at', '<', before).execute();
  },
});

export const createCompanionsStore = (db: Kysely<Schema>) => {
  const named = ({ userId, key }: Name) =>
    db.updateTable('companions').where('userId', '=', userId).where('key', '=', key);
  return {
    find: ({ userId, key }: Name): Promise<Row | undefined> =>
      db
        .selectFrom('companions')
        .selectAll()
        .where('userId', '=', userId)
        .where('key', '=', key)
        .executeTakeFirst(),
    /** The reports of one that is there stay. */
    claim: async ({ status, sealedLocation, ...row }: Row) => {
      const { userId: _user, key: _key, ...columns } = row;
      await db
        .insertInto('companions')
        .values({ ...row, status, sealedLocation })
        .onConflict((conflict) => conflict.columns(['userId', 'key']).doUpdateSet(columns))
        .execute();
    },
    /** False where another connection has the companion. */
    change: async (
      name: Name,
      connectionId: string,
      columns: Partial<Pick<Row, 'serverId' | 'connectionId' | 'at' | 'status' | 'sealedLocation'>>,
    ): Promise<boolean> => {
      const { numUpdatedRows } = await named(name)
        .set(columns)
        .where('connectionId', '=', connectionId)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    /** The newest first. */
    ofUser: (userId: string): Promise<StoredCompanion[]> =>
      db
        .selectFrom('companions')
        .leftJoin('servers', 'servers.id', 'companions.serverId')
        .selectAll('companions')
        .select('servers.seenAt as serverSeenAt')
        .where('userId', '=', userId)
        .orderBy('since', 'desc')
        .orderBy('key')
        .execute(),
    /** Of these connections of the server those that have a companion. */
    connected: async (serverId: string, connectionIds: readonly string[]): Promise<Set<string>> => {
      const rows = await inParts(connectionIds, (part) =>
        db
          .selectFrom('companions')
          .select('connectionId')
          .where('connectionId', 'in', part)
          .where('serverId', '=', serverId)
          .execute(),
      );
      return new Set(rows.flatMap(({ connectionId }) => connectionId ?? []));
    },
    /** Writes the server of the connection again; false where another connection has the companion. */
    reclaim: async (name: Name, columns: { connectionId: string; serverId: string }): Promise<boolean> => {
      const { numUpdatedRows } = await named(name)
        .set(columns)
        .where((where) =>
          where.or([where('connectionId', 'is', null), where('connectionId', '=', columns.connectionId)]),
        )
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    ...createCleaning(db),
  };
};

export type CompanionsStore = ReturnType<typeof createCompanionsStore>;
