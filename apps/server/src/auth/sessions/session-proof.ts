import { createHmac, hkdfSync } from 'node:crypto';
import { sameSecret } from '../digest.ts';

/** What every proof begins with, so that the log and scanners of leaked secrets know it. */
const prefix = 'dbp_';

/**
 * A MAC of the session's token. `secret` signs cookies and queries too, so the key is one of its own; with
 * another `epoch` all proofs end.
 */
export const createSessionProofs = (secret: string, epoch = '') => {
  const proofKey = Buffer.from(hkdfSync('sha256', secret, epoch, 'drawbridge session proof', 32));
  /** The proof of the session with that token: given out when a person signs in, and at no other time. */
  const of = (token: string): string =>
    prefix + createHmac('sha256', proofKey).update(token).digest('base64url');
  const pageKey = Buffer.from(hkdfSync('sha256', secret, '', 'drawbridge consent page', 32));
  /** The proof that the session with that key opened the consent page with this query. */
  const ofPage = (key: string, query: string): string =>
    createHmac('sha256', pageKey)
      .update(JSON.stringify([key, query]))
      .digest('base64url');
  return {
    of,
    ofPage,
    provesPage: ({ key, query }: { key: string; query: string }, given: string): boolean =>
      sameSecret(given, ofPage(key, query)),
  };
};

/** The second proof of a session, in the storage of one origin: the cookie reaches every port of the host. */
export type SessionProofs = ReturnType<typeof createSessionProofs>;
