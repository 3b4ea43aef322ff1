import type { Clock } from '@drawbridge/kit';
import type { Kysely } from 'kysely';
import type { Schema } from '../db/index.ts';
import { viaOf, type Access, type AccessControl, type Tokens } from './access.ts';
import { tokenPrefix, type Auth } from './better-auth.ts';
import { createTokens } from './tokens.ts';
import { createTokensStore } from './tokens.store.ts';
import { createWatch } from './watch.ts';

interface AccessNeeds {
  auth: Auth;
  db: Kysely<Schema>;
  clock: Clock;
  onError(error: unknown): void;
}

/** A bearer is longer only where somebody wants it to be, in characters. */
const longestBearer = 4_096;

const nameOf = (access: Access) => `${access.kind}:${viaOf(access).id}`;

/** Those who come with an access token, and the tokens themselves. */
export const createAccess = ({
  auth,
  db,
  clock,
  onError,
}: AccessNeeds): { access: AccessControl; tokens: Tokens } => {
  const { tokens, verify, live } = createTokens({
    auth,
    clock,
    store: createTokensStore(db),
    onRevoked: () => watch.check(),
    onError,
  });
  const watch = createWatch({
    clock,
    live: async (names) => {
      const ids = names.map((name) => name.slice('token:'.length));
      return new Set((await live(ids)).map((id) => `token:${id}`));
    },
    onError,
  });

  return {
    tokens,
    access: {
      verify: async (bearer, from) => {
        if (bearer.length > longestBearer || !bearer.startsWith(tokenPrefix)) return null;
        return verify(bearer, from ?? null);
      },
      onRevoked: (access, ended) => watch.watch(nameOf(access), ended),
    },
  };
};
