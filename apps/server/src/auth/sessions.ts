import type { Clock } from '@drawbridge/kit';
import type { Session } from './accounts.ts';
import type { Auth } from './better-auth.ts';
import { userOf } from './new-account.ts';

/** Cookies that are remembered; beyond this the oldest is forgotten. */
const mostProven = 1_000;
/** A browser's cookies for one host are longer only where somebody wants them to be. */
const longestCookie = 4_096;

interface SessionsNeeds {
  auth: Auth;
  clock: Clock;
}

/**
 * Reads the session that a cookie carries. Better-auth proves a cookie once; that its signature is right stays true.
 * Whether the session holds, and who the user is, is read from the store each time.
 */
export const createSessions = async ({ auth, clock }: SessionsNeeds) => {
  const { internalAdapter } = await auth.$context;
  const proven = new Map<string, string>();

  const remember = (cookie: string, token: string) => {
    if (cookie.length > longestCookie) return;
    const [oldest] = proven.keys();
    if (proven.size >= mostProven && oldest !== undefined) proven.delete(oldest);
    proven.set(cookie, token);
  };

  const prove = async (headers: Headers, cookie: string): Promise<Session | null> => {
    const found = await auth.api.getSession({ headers, query: { disableRefresh: true } });
    if (!found) return null;
    remember(cookie, found.session.token);
    return { token: found.session.token, user: userOf(found.user) };
  };

  return async (headers: Headers): Promise<Session | null> => {
    const cookie = headers.get('cookie');
    if (cookie === null) return null;
    const token = proven.get(cookie);
    if (token === undefined) return prove(headers, cookie);
    const found = await internalAdapter.findSession(token);
    if (found && found.session.expiresAt.getTime() > clock.now()) return { token, user: userOf(found.user) };
    proven.delete(cookie);
    // It also takes an expired one out of the store.
    return prove(headers, cookie);
  };
};
