import type { Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { createKeys, keysOfJwks, readToken } from './tokens.ts';

const issuer = 'https://accounts.google.com';

interface Needs {
  clock: Clock;
  /** Loads a public document of Google. */
  document(path: string): Promise<unknown>;
}

/** Whether a token is one that Google made for an audience and an account. Throws what `document` throws. */
export const createIsGoogleToken = ({ clock, document }: Needs) => {
  const keys = createKeys({ clock, load: async () => keysOfJwks(await document('/oauth2/v3/certs')) });
  return async (
    token: string | null,
    { audience, email }: { audience: string; email: string },
  ): Promise<boolean> => {
    const read = await readToken(token, { clock, keys, issuer, audience });
    // Everybody can have Google make a token with this audience.
    const verified = z.object({ email: z.literal(email), email_verified: z.literal(true) });
    return verified.safeParse(read?.claims).success;
  };
};
