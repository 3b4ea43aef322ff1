import type { PairingLink } from '@drawbridge/contracts/gateway';
import type { Release } from '@drawbridge/contracts/release';
import type { Clock } from '@drawbridge/kit';
import type { Registry } from '../machines/registry.ts';
import type { RemovedUsersStore } from './removed-users.store.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import type { Scope } from '../settings/switches.store.ts';
import type { IssuedKey, Keys, PairingPurpose } from './keys.ts';

/** What the server's configuration says of pairing. */
export interface PairingFacts {
  /** `GATEWAY_API_KEY`; undefined switches it off. */
  gatewayApiKey: string | undefined;
  /** The secret of all servers of the store: keys are computed from it. */
  secret: string;
  /** The command that a person pastes on their machine. */
  daemonCommand(token: string): string;
  /** The daemon that this server offers for download; left out where it has none. */
  release?: Release;
  /** Whether that command goes over http to another machine. */
  isInsecure(): boolean;
}

export interface PairingNeeds {
  clock: Clock;
  facts: PairingFacts;
  keys: Keys;
  registry: Pick<Registry, 'default'>;
  settings: Pick<GatewaySettings, 'requireEnabled'>;
  removedUsers: RemovedUsersStore;
  /** Ends the sessions of everybody, or of one user. */
  endSessions(scope: Scope): Promise<void>;
}

/** Links that pair a machine, and the end of pairings. */
export const createPairing = (needs: PairingNeeds) => {
  const { clock, facts, keys, registry, settings, removedUsers, endSessions: end } = needs;
  const toLink = ({ token, expiresAt }: IssuedKey): PairingLink => ({
    token,
    command: facts.daemonCommand(token),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    ttlSeconds: expiresAt === null ? null : Math.max(0, Math.floor((expiresAt - clock.now()) / 1_000)),
    ...(facts.isInsecure() && { insecure: true as const }),
  });
  return {
    /**
     * For the panel: always a pairing token, never a session key. Without a purpose, its machine becomes the
     * default.
     */
    createLink: async (userId: string, purpose?: PairingPurpose): Promise<PairingLink> => {
      await settings.requireEnabled(userId);
      return toLink(await keys.issue(userId, purpose));
    },
    /** For the daemon that the server itself runs: replaces no token that the person has on screen. */
    createServerToken: async (userId: string): Promise<string> => {
      await settings.requireEnabled(userId);
      return keys.issueForServer(userId);
    },
    /** For scripts: the live session key of the default machine, where there is one. Specification 4.3. */
    createLinkAsSpecified: async (userId: string): Promise<PairingLink> => {
      await settings.requireEnabled(userId);
      return toLink(await keys.issueAsSpecified(userId, (await registry.default(userId))?.id ?? null));
    },
    /** When the user's valid pairing tokens were made and end, in milliseconds since 1970. */
    list: keys.pairings,
    /** Revokes every key of a user and disconnects their machines. */
    revokeUser: (userId: string) => end({ kind: 'user', userId }),
    /** The same for an account that is removed; `retention.forgetRemoved` then deletes what it has left. */
    removeUser: async (userId: string) => {
      await removedUsers.add(userId);
      await end({ kind: 'user', userId });
    },
  };
};
