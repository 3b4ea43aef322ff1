import { createBoundedMap, type Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import type { Credentials, Session } from '../accounts/accounts.ts';
import type { Auth } from '../better-auth.ts';
import { userOf } from '../accounts/new-account.ts';
import type { SessionProofs } from './session-proof.ts';
import type { SessionsStore } from './sessions.store.ts';

/** Cookies whose signature was verified. */
const maxProven = 1_000;
/** A browser's cookies for one host are longer only where somebody wants them to be. */
const longestCookie = 4_096;

interface SessionsNeeds {
  auth: Auth;
  clock: Clock;
  proofs: SessionProofs;
  /** The session's cookie. */
  cookieName: string;
  store: SessionsStore;
}

/** Another port of the host can set a second cookie; the server cannot tell which one is the user's. */
const refuseTwo = (cookie: string, name: string): void => {
  const names = cookie.split(';').map((pair) => pair.split('=')[0]?.trim());
  if (names.filter((one) => one === name).length > 1) throw errors.twoSessions();
};

/**
 * Reads the session of a cookie. The signature is verified once; the session and its user are read from the
 * store at each request. The cookie without its proof gives no access.
 */
export const createSessions = ({ auth, clock, proofs, cookieName, store }: SessionsNeeds) => {
  const proven = createBoundedMap<string, string>({ maxEntries: maxProven });

  const remember = (cookie: string, token: string) => {
    if (cookie.length > longestCookie) return;
    proven.set(cookie, token);
  };

  const prove = async (cookie: string): Promise<Session | null> => {
    const headers = new Headers({ cookie });
    const found = await auth.api.getSession({ headers, query: { disableRefresh: true } });
    if (!found || found.user.disabledAt) return null;
    remember(cookie, found.session.token);
    return { token: found.session.token, user: userOf(found.user) };
  };

  const ofCookie = async (cookie: string): Promise<Session | null> => {
    const token = proven.get(cookie);
    if (token === undefined) return prove(cookie);
    const found = await store.byToken(token);
    if (found && found.expiresAt > clock.now()) return { token, user: userOf(found.user) };
    proven.delete(cookie);
    // It also takes an expired one out of the store.
    return prove(cookie);
  };

  return async ({ cookie, proof }: Credentials): Promise<Session | null> => {
    if (cookie === undefined) return null;
    refuseTwo(cookie, cookieName);
    const session = await ofCookie(cookie);
    return session && proofs.proves(session.token, proof) ? session : null;
  };
};
