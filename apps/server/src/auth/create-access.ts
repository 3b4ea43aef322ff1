import type { Clock } from '@drawbridge/kit';
import type { Store } from '../db/index.ts';
import type { Access, Refusal } from './access.ts';
import { tokenPrefix, type Auth } from './better-auth.ts';
import { createClients } from './clients/clients.ts';
import { createClientsStore } from './clients/clients.store.ts';
import { clientPrefixes } from './clients/oauth-provider.ts';
import type { SessionProofs } from './sessions/session-proof.ts';
import { createTokens, type TokenRights } from './tokens/tokens.ts';
import { createOwnMachines } from './tokens/own-machines.store.ts';
import { createTokensStore } from './tokens/tokens.store.ts';
import { createWatch } from './watch.ts';

interface AccessNeeds {
  auth: Auth;
  store: Store;
  clock: Clock;
  /** The origin under which the server is reached. */
  url(): string;
  proofs: SessionProofs;
  isOwner(userId: string): Promise<boolean>;
  onError(error: unknown): void;
}

/** A bearer is longer only where somebody wants it to be, in characters. */
const longestBearer = 4_096;

const clientPrefix = 'client:';

/** What is watched: the one token that came, with what it may use, as JSON; or `client:<id>`. */
const watchedAs = (access: Access) =>
  access.kind === 'token'
    ? JSON.stringify({ id: access.tokenId, scopes: access.scopes, machines: access.machines })
    : clientPrefix + access.grantId;
type WatchedToken = TokenRights & { id: string };

/** Those who come with an access token or as a connected client, the tokens themselves, and the clients. */
export const createAccess = ({ auth, store, clock, url, proofs, isOwner, onError }: AccessNeeds) => {
  const onRevoked = () => watch.check();
  const ownMachines = createOwnMachines(store);
  const ofToken = createTokens({
    auth,
    clock,
    store: createTokensStore(store),
    isOwner,
    requireOwn: ownMachines.require,
    onRevoked,
    onError,
  });
  const ofClient = createClients({
    clock,
    store: createClientsStore(store),
    url,
    proofs,
    onRevoked,
    onError,
  });

  const liveClients = async (names: string[]) => {
    const ids = names
      .filter((name) => name.startsWith(clientPrefix))
      .map((name) => name.slice(clientPrefix.length));
    const live = ids.length === 0 ? [] : await ofClient.live(ids);
    return live.map((id) => clientPrefix + id);
  };
  const liveTokens = async (names: string[]) => {
    const tokens = names
      .filter((name) => !name.startsWith(clientPrefix))
      // Only `watchedAs` has written it.
      .map((name) => ({ ...(JSON.parse(name) as WatchedToken), watched: name }));
    const live = tokens.length === 0 ? [] : await ofToken.live(tokens);
    return live.map(({ watched }) => watched);
  };
  const watch = createWatch({
    clock,
    live: async (names) => new Set([...(await liveTokens(names)), ...(await liveClients(names))]),
    onError,
  });

  return {
    tokens: ofToken.tokens,
    clients: ofClient.clients,
    ownMachines,
    access: {
      /**
       * What the bearer may do, as stored now; null for an unknown, expired or revoked token. `from` is the
       * address of the client, which the owner of the token sees.
       */
      verify: async (bearer: string, from: string | null = null): Promise<Access | null> => {
        if (bearer.length > longestBearer) return null;
        if (bearer.startsWith(tokenPrefix)) return ofToken.verify(bearer, from);
        return bearer.startsWith(clientPrefixes.access) ? ofClient.verify(bearer, from) : null;
      },
      /** Why a bearer that `verify` refused is no good. */
      whyRefused: async (bearer: string): Promise<Refusal> =>
        bearer.length <= longestBearer && bearer.startsWith(tokenPrefix)
          ? ofToken.whyRefused(bearer)
          : 'unknown',
      /**
       * Calls `ended` once, within a second of the end of the access; a client with a valid refresh token
       * keeps its access. Returns the function that unsubscribes.
       */
      onRevoked: (access: Access, ended: () => void) => watch.watch(watchedAs(access), ended),
    },
  };
};

/** Verifies access tokens. */
export type AccessControl = ReturnType<typeof createAccess>['access'];
