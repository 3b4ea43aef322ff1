import { createBoundedMap, type Clock } from '@drawbridge/kit';
import { errors, isDatabaseTrouble } from '../../errors.ts';
import { userOf, type Auth } from '../better-auth.ts';
import { sameSecret } from '../digest.ts';
import { sessionKeyOf } from './session-key.ts';
import type { SessionProofs } from './session-proof.ts';
import type { Credentials, Session } from './session.ts';
import type { SessionsStore } from './sessions.store.ts';

/** Cookies whose signature was verified. */
const maxProven = 1_000;
/** A browser's cookies for one host are longer only where somebody wants them to be. */
const longestCookie = 4_096;

interface SessionsNeeds {
  auth: Auth;
  clock: Clock;
  proofs: Pick<SessionProofs, 'of'>;
  /** The session's cookie. */
  cookieName: string;
  store: SessionsStore;
}

interface Proven {
  key: string;
  /** What a request with that cookie must bring too. */
  proof: string;
}

type Found = Proven & Session;

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
  const proven = createBoundedMap<string, Proven>({ maxEntries: maxProven });

  const prove = async (cookie: string): Promise<Found | null> => {
    const headers = new Headers({ cookie });
    const query = { disableRefresh: true };
    const found = await auth.api.getSession({ headers, query }).catch((error: unknown) => {
      // Better-auth hides why the store failed.
      throw error instanceof Error && isDatabaseTrouble(error.cause) ? error.cause : error;
    });
    if (!found || found.user.disabledAt) return null;
    const { token } = found.session;
    const known = { key: sessionKeyOf(token), proof: proofs.of(token) };
    if (cookie.length <= longestCookie) proven.set(cookie, known);
    return { ...known, user: userOf(found.user) };
  };

  const ofCookie = async (cookie: string): Promise<Found | null> => {
    const known = proven.get(cookie);
    if (known === undefined) return prove(cookie);
    const found = await store.byKey(known.key);
    if (found && found.expiresAt > clock.now()) return { ...known, user: userOf(found.user) };
    proven.delete(cookie);
    // It also takes an expired one out of the store.
    return prove(cookie);
  };

  const read = async (cookie: string | undefined): Promise<Found | null> => {
    if (cookie === undefined) return null;
    refuseTwo(cookie, cookieName);
    return ofCookie(cookie);
  };

  return {
    /**
     * The session of the cookie and the proof, as stored now; null without either. Throws `twoSessions` for
     * two session cookies.
     */
    session: async ({ cookie, proof }: Credentials): Promise<Session | null> => {
      const found = await read(cookie);
      if (!found || proof === undefined || !sameSecret(proof, found.proof)) return null;
      return { key: found.key, user: found.user };
    },
    /** The key of the cookie's session, which gives no access; null without one. Throws `twoSessions`. */
    keyOfCookie: async (cookie: string | undefined): Promise<string | null> =>
      (await read(cookie))?.key ?? null,
  };
};
