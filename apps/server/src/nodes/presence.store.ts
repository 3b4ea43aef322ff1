import type { Kysely } from 'kysely';
import { inParts, type Schema } from '../db/index.ts';

/** What one server has seen of a sender. */
export type SeenRow = Schema['presence'];

/** Rows of one read: of a user, and of all. */
const most = { ofUser: 1_000, ofAll: 20_000 };

/** What each server has seen. */
export const createPresenceStore = (db: Kysely<Schema>) => {
  /** Of servers other than that one, which were seen since that time. */
  const ofOthers = ({ here, seenSince }: { here: string; seenSince: number }) =>
    db
      .selectFrom('presence')
      .innerJoin('servers', 'servers.id', 'presence.serverId')
      .selectAll('presence')
      .where('serverId', '<>', here)
      .where('servers.seenAt', '>', seenSince)
      .orderBy('lastSeenAt', 'desc');
  return {
    /** Inserts or replaces. */
    put: async (rows: readonly SeenRow[]) => {
      await inParts(rows, async (part) => {
        await db
          .insertInto('presence')
          .values(part)
          .onConflict((conflict) =>
            conflict.columns(['serverId', 'userId', 'channel', 'senderId']).doUpdateSet(({ ref }) => ({
              senderName: ref('excluded.senderName'),
              lastSeenAt: ref('excluded.lastSeenAt'),
              messageCount: ref('excluded.messageCount'),
              open: ref('excluded.open'),
            })),
          )
          .execute();
        return [];
      });
    },
    ofUser: (userId: string, others: { here: string; seenSince: number }): Promise<SeenRow[]> =>
      ofOthers(others).where('userId', '=', userId).limit(most.ofUser).execute(),
    ofAll: (others: { here: string; seenSince: number }): Promise<SeenRow[]> =>
      ofOthers(others).limit(most.ofAll).execute(),
    /** What a server has left that is gone. */
    removeOf: async (serverId: string) => {
      await db.deleteFrom('presence').where('serverId', '=', serverId).execute();
    },
    /** The same of all servers that are gone. */
    removeOfDead: async () => {
      await db
        .deleteFrom('presence')
        .where('serverId', 'not in', ({ selectFrom }) => selectFrom('servers').select('servers.id'))
        .execute();
    },
  };
};

export type PresenceStore = ReturnType<typeof createPresenceStore>;
