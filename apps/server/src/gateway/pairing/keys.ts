import { timingSafeEqual } from 'node:crypto';
import { envGatewayUserId } from '@drawbridge/contracts/ids';
import { createKeyedQueue, type Clock, type CodedError } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import type { KeysStore, NewToken, StoredKey } from './keys.store.ts';
import { createPlainKeys, digestOf } from './plain-keys.ts';
import type { GatewayLimits } from '../limits.ts';
import type { MachineInit, StoredMachine } from '../machines/stored-machine.ts';

type KeyLife = Pick<StoredKey, 'kind' | 'createdAt' | 'expiresAt' | 'lastUsedAt' | 'usedAt' | 'revokedAt'>;

/**
 * Whether the key can still be used. A pairing token is spent by one init, and none comes from the future; a
 * session key ends when it is left alone.
 */
export const holds = (key: KeyLife, at: { now: number; sessionKeyIdleMs: number }): boolean => {
  if (key.revokedAt !== null) return false;
  if (key.kind === 'session') return at.now - (key.lastUsedAt ?? key.createdAt) < at.sessionKeyIdleMs;
  return key.usedAt === null && key.createdAt <= at.now && at.now < (key.expiresAt ?? 0);
};

/** How exact `lastUsedAt` is: a write for each use would be one for each result. */
export const touchEveryMs = 60 * 60 * 1_000;

const needsTouch = (lastUsedAt: number, now: number): boolean => now - lastUsedAt >= touchEveryMs;

/** The owner of a key. */
export type KeyOwner =
  | { kind: 'env'; userId: string }
  | ({ kind: 'pairing'; userId: string; digest: string } & PairingPurpose)
  | { kind: 'session'; userId: string; digest: string; machineId: string };

/** What a pairing token is for. */
export interface PairingPurpose {
  /** The machine that its daemon will speak for, whatever the daemon says of itself; null for any. */
  machineId: string | null;
  /** Whether the machine becomes the default. */
  makesDefault: boolean;
}

/** That of the specification's link. */
const anyMachine: PairingPurpose = { machineId: null, makesDefault: true };

/** What create-link gives: a live session key has no expiry. */
export interface IssuedKey {
  token: string;
  expiresAt: number | null;
}

export interface KeysNeeds {
  clock: Clock;
  store: KeysStore;
  limits: GatewayLimits;
  /** `GATEWAY_API_KEY`: stands for the user `env-gateway`. Undefined switches it off. */
  gatewayApiKey: string | undefined;
  /** The secret of all servers of the store. */
  secret: string;
}

/** Issues, verifies, swaps and revokes tokens and session keys. */
export const createKeys = ({ clock, store, limits, gatewayApiKey, secret }: KeysNeeds) => {
  const envDigest = gatewayApiKey === undefined ? undefined : Buffer.from(digestOf(gatewayApiKey));
  const plainKeys = createPlainKeys(secret);
  const queue = createKeyedQueue();

  const isLive = (row: StoredKey | undefined): row is StoredKey =>
    row !== undefined && holds(row, { now: clock.now(), sessionKeyIdleMs: limits.sessionKeyIdleMs });

  /** Throws `forbidden` for every key that is not valid, with one sentence for all. */
  const owner = async (key: string): Promise<KeyOwner> => {
    const digest = digestOf(key);
    if (envDigest && timingSafeEqual(Buffer.from(digest), envDigest))
      return { kind: 'env', userId: envGatewayUserId };
    const row = await store.find(digest);
    if (!isLive(row)) throw errors.forbidden();
    if (row.kind !== 'session') {
      const { userId, machineId } = row;
      return { kind: 'pairing', userId, digest: row.digest, machineId, makesDefault: row.makesDefault === 1 };
    }
    if (row.machineId === null) throw errors.forbidden();
    const now = clock.now();
    if (needsTouch(row.lastUsedAt ?? row.createdAt, now)) await store.touch(row.digest, now);
    return { kind: 'session', userId: row.userId, digest: row.digest, machineId: row.machineId };
  };

  const newToken = async (of: PairingPurpose & Pick<NewToken, 'kind' | 'userId'>) => {
    const { key: token, ...stored } = plainKeys.create('pairing');
    const createdAt = clock.now();
    const expiresAt = createdAt + limits.pairingTokenTtlMs;
    await store.issueToken({ ...of, ...stored, createdAt, expiresAt });
    return { token, expiresAt };
  };

  /** The first of the rows that can be used, as it was issued. */
  const shown = (rows: StoredKey[]): IssuedKey | null => {
    for (const row of rows.filter(isLive)) {
      const token = plainKeys.of(row);
      if (token !== null) return { token, expiresAt: row.expiresAt };
    }
    return null;
  };

  const issueInTurn = async (userId: string, purpose: PairingPurpose): Promise<IssuedKey> => {
    const isMeant = ({ machineId, makesDefault }: StoredKey) =>
      machineId === purpose.machineId && (makesDefault === 1) === purpose.makesDefault;
    const unused = shown((await store.pairingsOf(userId)).filter(isMeant));
    return unused ?? newToken({ ...purpose, kind: 'pairing', userId });
  };

  return {
    owner,
    /**
     * Why a key is not valid, for a caller who presents all of it, and whose it was; the same `forbidden` for
     * one that is not known.
     */
    whyNot: async (key: string): Promise<{ error: CodedError; userId: string | null }> => {
      const row = await store.find(digestOf(key));
      if (row === undefined) return { error: errors.forbidden(), userId: null };
      const { userId, usedAt } = row;
      if (row.kind === 'session') return { error: errors.pairingEnded(), userId };
      return { error: usedAt === null ? errors.tokenExpired() : errors.tokenUsed(), userId };
    },
    /** When the user's valid pairing tokens were made and end, in milliseconds since 1970. */
    pairings: async (userId: string): Promise<{ createdAt: number; expiresAt: number }[]> =>
      (await store.pairingsOf(userId))
        .filter(isLive)
        .map(({ createdAt, expiresAt }) => ({ createdAt, expiresAt: expiresAt ?? 0 })),
    /** The user's unused pairing token for that purpose, else a new one, which revokes any other. */
    issue: (userId: string, purpose: PairingPurpose = anyMachine): Promise<IssuedKey> =>
      queue.run(userId, () => issueInTurn(userId, purpose)),
    /** A token for the server's own machine, which replaces no other and is not listed. */
    issueForServer: async (userId: string): Promise<string> =>
      (await newToken({ kind: 'serverPairing', userId, machineId: null, makesDefault: false })).token,
    /**
     * The live session key of the machine, else what `issue` gives; `machineId` is the user's default.
     * Specification 4.3.
     */
    issueAsSpecified: (userId: string, machineId: string | null): Promise<IssuedKey> =>
      queue.run(userId, async () => {
        const live = machineId === null ? null : shown(await store.sessionsOf(machineId));
        return live ?? issueInTurn(userId, anyMachine);
      }),
    /** Whether a machine has a valid session key. */
    isPaired: async (machineId: string): Promise<boolean> => (await store.sessionsOf(machineId)).some(isLive),
    /**
     * Swaps a pairing token for a session key that belongs to the machine; `forbidden` when another init was
     * first.
     */
    pair: async (
      pairing: KeyOwner & { kind: 'pairing' },
      machine: MachineInit,
    ): Promise<{ sessionKey: string; machine: StoredMachine }> => {
      const session = plainKeys.create('session');
      const paired = await store.pair({
        tokenDigest: pairing.digest,
        session,
        machine,
        makesDefault: pairing.makesDefault,
        at: clock.now(),
      });
      if (!paired) throw errors.forbidden();
      return { sessionKey: session.key, machine: paired };
    },
    saveInit: (machine: MachineInit): Promise<StoredMachine> => store.saveInit(machine),
    /** An open stream is a use of its key. Call every `touchEveryMs` with the machines that have one. */
    touchMachines: async (machineIds: string[]) => {
      await store.touchMachines(machineIds, clock.now());
    },
    revokeMachine: async ({ id }: { id: string }) => {
      await store.revokeMachine(id, clock.now());
    },
    revokeUser: async (userId: string) => {
      await store.revokeUser(userId, clock.now());
    },
    /** The machines that have a key which was revoked since that time, also by another process. */
    revokedSince: (at: number): Promise<string[]> => store.revokedSince(at),
    /** The machines whose session key was revoked, also by another process. */
    revokedAmong: async (machineIds: string[]): Promise<string[]> => {
      const live = new Set(await store.withKey(machineIds));
      return machineIds.filter((id) => !live.has(id));
    },
    revokeAll: async () => {
      await store.revokeAll(clock.now());
    },
  };
};

export type Keys = ReturnType<typeof createKeys>;
