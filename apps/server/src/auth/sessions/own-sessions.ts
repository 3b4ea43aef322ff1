import type { OwnSession } from '@drawbridge/contracts/accounts';
import type { Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import { timeOf } from '../readable.ts';
import type { Session } from './session.ts';
import type { SessionsStore } from './sessions.store.ts';

interface OwnSessionsNeeds {
  clock: Clock;
  store: SessionsStore;
  /** Ends what is open with a session that has ended. */
  checkSessions(): Promise<void>;
}

const longestAgent = 300;
const iso = (at: number) => new Date(at).toISOString();

/** The sessions of a user, without their keys. */
export const createOwnSessions = ({ clock, store, checkSessions }: OwnSessionsNeeds) => ({
  /** Those that hold, newest first. */
  listSessions: async ({ user, key: own }: Session): Promise<OwnSession[]> =>
    (await store.ofUser(user.id)).flatMap(({ id, token: key, createdAt, expiresAt, userAgent }) =>
      timeOf(expiresAt) <= clock.now()
        ? []
        : [
            {
              id,
              createdAt: iso(timeOf(createdAt)),
              expiresAt: iso(timeOf(expiresAt)),
              userAgent: userAgent === null || userAgent === '' ? null : userAgent.slice(0, longestAgent),
              isCurrent: key === own,
            },
          ],
    ),
  /** What is open with it has ended when this resolves. Throws `notFound`. */
  endSession: async (userId: string, id: string): Promise<void> => {
    if (!(await store.remove(userId, id))) throw errors.notFound();
    await checkSessions();
  },
});
