import { prepareQuery, type Slot, type Store } from '../../db/index.ts';
import type { AuthTables } from '../auth-tables.ts';

export const createSessionsStore = ({ db, cacheRows, changeRights }: Store) => {
  const auth = db.withTables<AuthTables>();
  const ofKey = prepareQuery((slot: Slot<{ key: string }>) =>
    auth
      .selectFrom('session')
      .innerJoin('user', 'user.id', 'session.userId')
      .select(['session.expiresAt', 'user.id', 'user.name', 'user.email', 'user.ownerSlot'])
      .where('session.token', '=', slot('key'))
      .where('user.disabledAt', 'is', null),
  );
  return {
    /** The session with that key and its user, who is not disabled; also when it has expired. */
    byKey: cacheRows(async (key) => {
      const [row] = (await db.executeQuery(ofKey({ key }))).rows;
      if (!row) return undefined;
      const { expiresAt, ...user } = row;
      return { expiresAt: new Date(expiresAt).getTime(), user };
    }),
    /** Those of the keys whose session has not ended at that time, in ISO 8601. */
    live: async (keys: string[], now: string): Promise<Set<string>> => {
      const rows = await auth
        .selectFrom('session')
        .select('token')
        .where('token', 'in', keys)
        .where('expiresAt', '>', now)
        .execute();
      return new Set(rows.map(({ token }) => token));
    },
    /** Newest first, also those that have expired. */
    ofUser: (userId: string) =>
      auth
        .selectFrom('session')
        .select(['id', 'token', 'createdAt', 'expiresAt', 'userAgent'])
        .where('userId', '=', userId)
        .orderBy('createdAt', 'desc')
        .execute(),
    /** False for an id that no session of the user has. */
    remove: async (userId: string, id: string): Promise<boolean> => {
      const { numDeletedRows } = await changeRights(() =>
        auth.deleteFrom('session').where('userId', '=', userId).where('id', '=', id).executeTakeFirst(),
      );
      return numDeletedRows > 0;
    },
  };
};

export type SessionsStore = ReturnType<typeof createSessionsStore>;
