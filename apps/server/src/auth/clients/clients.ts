import {
  clientLimits,
  offlineScope,
  type ClientRequest,
  type ConnectedClient,
} from '@drawbridge/contracts/clients';
import { toolScopes } from '@drawbridge/contracts/groups';
import type { Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import type { Access } from '../access.ts';
import { createLastUsedThrottle } from '../last-used.ts';
import type { SessionProofs } from '../sessions/session-proof.ts';
import type { Session } from '../sessions/session.ts';
import type { StoredClient, StoredConsent } from './client-rows.ts';
import type { ClientsStore } from './clients.store.ts';
import { clientPrefixes, resourceOf } from './oauth-provider.ts';
import { redirectHost, registeredRedirect } from './redirects.ts';

/** Longer than it takes to change a refresh token for another. */
const rotationMs = 5_000;

const iso = (at: number) => new Date(at).toISOString();

/** Where a client's word comes from: its document's site, else where its answers go. */
const hostOf = ({ clientId, origin, redirectUris: [first = ''] }: StoredClient): string =>
  origin === 'document' ? new URL(clientId).host : redirectHost(first).host;

const toConnected = (client: StoredConsent): ConnectedClient => ({
  id: client.clientId,
  name: client.name,
  host: hostOf(client),
  origin: client.origin,
  scopes: client.scopes,
  connectedAt: iso(client.connectedAt),
  lastUsedAt: client.lastUsedAt === null ? null : iso(client.lastUsedAt),
  lastUsedFrom: client.lastUsedFrom,
  ...(client.machines && { machines: client.machines }),
});

interface ClientsNeeds {
  clock: Clock;
  store: ClientsStore;
  /** The origin under which the server is reached. */
  url(): string;
  proofs: Pick<SessionProofs, 'ofPage'>;
  /** Called after a revocation; ends what is open with the access. */
  onRevoked(): Promise<void>;
  onError(error: unknown): void;
}

/** MCP clients that people connect by OAuth: better-auth makes their tokens and keeps their digests. */
export const createClients = ({ clock, store, url, proofs, onRevoked, onError }: ClientsNeeds) => {
  const holds = (grant: { expiresAt: number }) => grant.expiresAt > clock.now();

  const noteUse = createLastUsedThrottle({ clock, store, onError });

  /** Clients that the user has connected by OAuth. Ids of another user count as unknown: `notFound`. */
  const clients = {
    /** The client of a consent page of this session. Throws `notFound` for an unknown client or address. */
    request: async (query: string, { key, user }: Session): Promise<ClientRequest> => {
      const asked = new URLSearchParams(query);
      const client = await store.byId(asked.get('client_id') ?? '');
      const redirect = asked.get('redirect_uri') ?? '';
      if (!client || !registeredRedirect(client.redirectUris, redirect)) throw errors.notFound();
      const scopes = new Set(asked.get('scope')?.split(' '));
      const goes = redirectHost(redirect);
      return {
        clientId: client.clientId,
        name: client.name,
        host: client.origin === 'document' ? hostOf(client) : goes.host,
        origin: client.origin,
        goesTo: goes.goesTo,
        scopes: toolScopes.filter((group) => scopes.has(group)),
        staysConnected: scopes.has(offlineScope),
        account: user.email,
        openedBy: proofs.ofPage(key, query),
      };
    },
    /** Newest first. */
    list: async (userId: string) => (await store.ofUser(userId)).map(toConnected),
    /** What is open with it has ended when this resolves. */
    revoke: async (userId: string, clientId: string) => {
      if (!(await store.remove(userId, clientId))) throw errors.notFound();
      await onRevoked();
    },
    revokeAll: async (userId: string) => {
      await store.remove(userId, null);
      await onRevoked();
    },
    /** Sets the redirect addresses, already validated, of a client that has registered itself. */
    setRedirects: store.setRedirects,
    /** The machines that the user's consent to a client names; null for all. */
    setMachines: store.setMachines,
    /** Deletes self-registered clients without a consent, except the newest. */
    forgetUnconnected: () => store.forgetUnconnected(clientLimits.unconnected),
  };

  return {
    clients,
    verify: async (bearer: string, from: string | null): Promise<Access | null> => {
      const found = await store.byToken(bearer.slice(clientPrefixes.access.length));
      const resource = resourceOf(url());
      if (!found || !holds(found) || !found.resources.includes(resource)) return null;
      const { clientId, grantId, userId, name, scopes, machines } = found;
      if (scopes.length === 0) return null;
      noteUse(found.consentId, from);
      const granted = { userId, name, scopes, resource, ...(machines && { machines }) };
      return { kind: 'client', clientId, grantId, ...granted };
    },
    /** The given access tokens whose client is still connected, also tokens that have expired. */
    live: async (grantIds: string[]): Promise<string[]> =>
      (await store.known(grantIds, clock.now() - rotationMs)).filter(holds).map(({ id }) => id),
  };
};

export type Clients = ReturnType<typeof createClients>['clients'];
