import { prepareQuery, type Slot, type Store } from '../../db/index.ts';
import type { AuthTables } from '../auth-tables.ts';

export const createSessionsStore = ({ db, cacheRows }: Store) => {
  const auth = db.withTables<AuthTables>();
  const ofToken = prepareQuery((slot: Slot<{ token: string }>) =>
    auth
      .selectFrom('session')
      .innerJoin('user', 'user.id', 'session.userId')
      .select(['session.expiresAt', 'user.id', 'user.name', 'user.email', 'user.ownerSlot'])
      .where('session.token', '=', slot('token'))
      .where('user.disabledAt', 'is', null),
  );
  return {
    /** The session of that token with its user, who is not disabled; also when it has expired. */
    byToken: cacheRows(async (token) => {
      const [row] = (await db.executeQuery(ofToken({ token }))).rows;
      if (!row) return undefined;
      const { expiresAt, ...user } = row;
      return { expiresAt: new Date(expiresAt).getTime(), user };
    }),
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
      const { numDeletedRows } = await auth
        .deleteFrom('session')
        .where('userId', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0;
    },
  };
};

export type SessionsStore = ReturnType<typeof createSessionsStore>;
