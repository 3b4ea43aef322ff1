import type { Kysely, Selectable, Transaction } from 'kysely';
import {
  inParts,
  prepareQuery,
  type GatewayKeyTable,
  type Schema,
  type Slot,
  type Store,
} from '../../db/index.ts';
import { saveDefault } from '../machines/membership.store.ts';
import { saveMachine } from '../machines/save-machine.store.ts';
import type { MachineInit, StoredMachine } from '../machines/stored-machine.ts';

export type StoredKey = Selectable<GatewayKeyTable>;

/** A pairing token as it is issued. */
export interface NewToken {
  kind: Exclude<StoredKey['kind'], 'session'>;
  digest: string;
  seed: string;
  userId: string;
  /** The machine that it is for; null for any. */
  machineId: string | null;
  makesDefault: boolean;
  createdAt: number;
  expiresAt: number;
}

/**
 * A pairing: the token that is consumed, the session key that it is swapped for, the machine that gets it.
 */
export interface PairingRecord {
  tokenDigest: string;
  session: { digest: string; seed: string };
  machine: MachineInit;
  /** The machine becomes the one that is meant where its user names none. */
  makesDefault: boolean;
  at: number;
}

const forgottenAtOnce = 500;

/** Revokes the keys that the added conditions name and that are not revoked yet. */
export const revoke = (db: Kysely<Schema>, at: number) =>
  db.updateTable('gatewayKeys').set({ revokedAt: at }).where('revokedAt', 'is', null);

/** Pairing tokens and session keys, by digest. */
export const createKeysStore = ({ db, cacheRows, changeRights }: Store) => {
  const byDigest = prepareQuery((slot: Slot<{ digest: string }>) =>
    db.selectFrom('gatewayKeys').selectAll().where('digest', '=', slot('digest')),
  );
  const inRights = <Result>(write: (trx: Transaction<Schema>) => Promise<Result>) =>
    changeRights(() => db.transaction().execute(write));
  return {
    find: cacheRows(async (digest) => (await db.executeQuery(byDigest({ digest }))).rows[0]),
    /** The session keys of a machine that were not revoked. */
    sessionsOf: (machineId: string): Promise<StoredKey[]> =>
      db
        .selectFrom('gatewayKeys')
        .selectAll()
        .where('machineId', '=', machineId)
        .where('kind', '=', 'session')
        .where('revokedAt', 'is', null)
        .execute(),
    /** The pairing tokens of a user that are unused, without those of the server itself. */
    pairingsOf: (userId: string): Promise<StoredKey[]> =>
      db
        .selectFrom('gatewayKeys')
        .selectAll()
        .where('userId', '=', userId)
        .where('kind', '=', 'pairing')
        .where('usedAt', 'is', null)
        .where('revokedAt', 'is', null)
        .execute(),
    /** Stores a new pairing token. A person's revokes every unused one of that user; the server's none. */
    issueToken: ({ makesDefault, ...token }: NewToken) =>
      inRights(async (trx) => {
        if (token.kind === 'pairing')
          await revoke(trx, token.createdAt)
            .where('userId', '=', token.userId)
            .where('kind', '=', 'pairing')
            .where('usedAt', 'is', null)
            .execute();
        await trx
          .insertInto('gatewayKeys')
          .values({
            ...token,
            makesDefault: Number(makesDefault),
            lastUsedAt: null,
            usedAt: null,
            revokedAt: null,
          })
          .execute();
      }),
    /**
     * Consumes the token, revokes the machine's older session keys, and stores the new one and the machine,
     * in one transaction. Null for an invalid token.
     */
    pair: ({
      tokenDigest,
      session: { digest, seed },
      machine,
      makesDefault,
      at,
    }: PairingRecord): Promise<StoredMachine | null> =>
      inRights(async (trx) => {
        const consumed = await trx
          .updateTable('gatewayKeys')
          .set({ usedAt: at })
          .where('digest', '=', tokenDigest)
          .where('userId', '=', machine.userId)
          .where('kind', '<>', 'session')
          .where('usedAt', 'is', null)
          .where('revokedAt', 'is', null)
          .where('createdAt', '<=', at)
          .where('expiresAt', '>', at)
          .executeTakeFirst();
        if (consumed.numUpdatedRows !== 1n) return null;
        await revoke(trx, at).where('machineId', '=', machine.id).where('kind', '=', 'session').execute();
        const saved = await saveMachine(trx, machine);
        if (makesDefault) await saveDefault(trx, machine.userId, machine.id);
        await trx
          .insertInto('gatewayKeys')
          .values({
            digest,
            seed,
            kind: 'session',
            userId: machine.userId,
            machineId: machine.id,
            makesDefault: 0,
            createdAt: at,
            expiresAt: null,
            lastUsedAt: at,
            usedAt: null,
            revokedAt: null,
          })
          .execute();
        return saved;
      }),
    /** Stores the machine of an init with a session key or the environment's key. */
    saveInit: (machine: MachineInit): Promise<StoredMachine> =>
      db.transaction().execute((trx) => saveMachine(trx, machine)),
    touch: (digest: string, at: number) =>
      changeRights(() =>
        db.updateTable('gatewayKeys').set({ lastUsedAt: at }).where('digest', '=', digest).execute(),
      ),
    touchMachines: (machineIds: string[], at: number) =>
      changeRights(() =>
        inParts(machineIds, (part) =>
          db
            .updateTable('gatewayKeys')
            .set({ lastUsedAt: at })
            .where('machineId', 'in', part)
            .where('revokedAt', 'is', null)
            .execute(),
        ),
      ),
    /** Revokes the session keys of a machine. */
    revokeMachine: (machineId: string, at: number) =>
      changeRights(() => revoke(db, at).where('machineId', '=', machineId).execute()),
    /** Revokes every key of a user. */
    revokeUser: (userId: string, at: number) =>
      changeRights(() => revoke(db, at).where('userId', '=', userId).execute()),
    revokeAll: (at: number) => changeRights(() => revoke(db, at).execute()),
    /** Those of the machines that have a session key which is not revoked. */
    withKey: async (machineIds: string[]): Promise<string[]> => {
      const rows = await inParts(machineIds, (part) =>
        db
          .selectFrom('gatewayKeys')
          .select('machineId')
          .where('machineId', 'in', part)
          .where('kind', '=', 'session')
          .where('revokedAt', 'is', null)
          .execute(),
      );
      return rows.flatMap(({ machineId }) => machineId ?? []);
    },
    /** The machines of keys that were revoked since that time. */
    revokedSince: async (at: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('gatewayKeys')
        .select('machineId')
        .where('revokedAt', '>', at)
        .where('machineId', 'is not', null)
        .execute();
      return rows.flatMap(({ machineId }) => machineId ?? []);
    },
    /**
     * Deletes a batch of keys that are used, expired, revoked, or unused since `idleSince`; returns how many.
     */
    forgetDead: async ({ at, idleSince }: { at: number; idleSince: number }): Promise<number> => {
      const dead = db
        .selectFrom('gatewayKeys')
        .select('digest')
        .where((where) =>
          where.or([
            where('revokedAt', 'is not', null),
            where('usedAt', 'is not', null),
            where('expiresAt', '<=', at),
            where.and([
              where('kind', '=', 'session'),
              where(where.fn.coalesce('lastUsedAt', 'createdAt'), '<=', idleSince),
            ]),
          ]),
        )
        .limit(forgottenAtOnce);
      const { numDeletedRows } = await changeRights(() =>
        db.deleteFrom('gatewayKeys').where('digest', 'in', dead).executeTakeFirst(),
      );
      return Number(numDeletedRows);
    },
  };
};

export type KeysStore = ReturnType<typeof createKeysStore>;
