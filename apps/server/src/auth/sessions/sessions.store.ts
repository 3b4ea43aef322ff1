import { prepareQuery, type Slot, type Store } from '../../db/index.ts';

/** Better-auth's tables, as far as a session is read from them. */
type AuthTables = {
  session: { token: string; userId: string; expiresAt: string | Date };
  user: { id: string; name: string; email: string; ownerSlot: string | null; disabledAt: string | null };
};

export interface StoredSession {
  expiresAt: number;
  user: Omit<AuthTables['user'], 'disabledAt'>;
}

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
  };
};

export type SessionsStore = ReturnType<typeof createSessionsStore>;
