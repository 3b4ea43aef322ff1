import type { Clock } from '@drawbridge/kit';
import type { Session } from './accounts.ts';
import type { Auth } from './better-auth.ts';
import { userOf } from './new-account.ts';
import type { SessionsStore } from './sessions.store.ts';

/** Cookies that are remembered; beyond this the oldest is forgotten. */
const mostProven = 1_000;
/** A browser's cookies for one host are longer only where somebody wants them to be. */
const longestCookie = 4_096;

interface SessionsNeeds {
  auth: Auth;
  clock: Clock;
  store: SessionsStore;
}

/**
 * Reads the session that a cookie carries. Better-auth proves a cookie once; that its signature is right stays true.
 * Whether the session holds, and who the user is, is as the store has it at each request.
 */
export const createSessions = ({ auth, clock, store }: SessionsNeeds) => {
  const proven = new Map<string, string>();

  const remember = (cookie: string, token: string) => {
    if (cookie.length > longestCookie) return;
    const [oldest] = proven.keys();
    if (proven.size >= mostProven && oldest !== undefined) proven.delete(oldest);
    proven.set(cookie, token);
  };

  const prove = async (cookie: string): Promise<Session | null> => {
    const headers = new Headers({ cookie });
    const found = await auth.api.getSession({ headers, query: { disableRefresh: true } });
    if (!found) return null;
    remember(cookie, found.session.token);
    return { token: found.session.token, user: userOf(found.user) };
  };

  return async (cookie: string | undefined): Promise<Session | null> => {
    if (cookie === undefined) return null;
    const token = proven.get(cookie);
    if (token === undefined) return prove(cookie);
    const found = await store.byToken(token);
    if (found && found.expiresAt > clock.now()) return { token, user: userOf(found.user) };
    proven.delete(cookie);
    // It also takes an expired one out of the store.
    return prove(cookie);
  };
};
