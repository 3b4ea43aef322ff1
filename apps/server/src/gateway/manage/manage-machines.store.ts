import type { MachineNumbers } from '@drawbridge/contracts/machines/summary';
import type { Clock } from '@drawbridge/kit';
import { sql, type Kysely } from 'kysely';
import type { Schema, Store } from '../../db/index.ts';
import { errors } from '../../errors.ts';
import { revoke } from '../pairing/keys.store.ts';
import { saveDefault } from '../machines/membership.store.ts';
import { revised } from '../machines/revised.store.ts';

/** Times in milliseconds. */
export interface ListedMachine {
  id: string;
  name: string;
  hostIdentifier: string;
  rootPath: string;
  isDefault: boolean;
  isConnected: boolean;
  /** When it was connected last; null while it is, and while it never went away. */
  lastSeenAt: number | null;
}

type StoredId = Pick<ListedMachine, 'id'>;
type StoredName = Pick<ListedMachine, 'id' | 'name'>;

/** Removed machines that are still shown by their name. */
const forgottenShown = 100;

const list = async (db: Kysely<Schema>, userId: string): Promise<ListedMachine[]> => {
  const rows = await db
    .selectFrom('machines')
    .leftJoin('userSettings', 'userSettings.userId', 'machines.userId')
    .select(['id', 'name', 'hostIdentifier', 'rootPath', 'connectedAt', 'lastSeenAt', 'defaultMachineId'])
    .where('machines.userId', '=', userId)
    .where('forgottenAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  const hasDefault = rows.some(({ id, defaultMachineId }) => id === defaultMachineId);
  return rows.map(({ connectedAt, defaultMachineId, ...row }, at) => ({
    ...row,
    isDefault: hasDefault ? row.id === defaultMachineId : at === 0,
    isConnected: connectedAt !== null,
  }));
};

const revokeKeys = async (db: Kysely<Schema>, machineId: string, at: number): Promise<void> => {
  await revoke(db, at).where('machineId', '=', machineId).execute();
};

/** Changes machines in the store, beside a running server, which notices within a second. */
export const createManageMachines = (
  { db, changeRights }: Pick<Store, 'db' | 'changeRights'>,
  clock: Clock,
) => ({
  /** Those that are not forgotten, oldest first. */
  list: (userId: string): Promise<ListedMachine[]> => list(db, userId),
  /** Throws `machineNameTaken` for a name that another machine of the user has. */
  rename: ({ id }: StoredId, name: string) =>
    db.transaction().execute(async (trx) => {
      const other = await trx
        .selectFrom('machines as machine')
        .innerJoin('machines as other', 'other.userId', 'machine.userId')
        .select('other.id')
        .where('machine.id', '=', id)
        .where('other.name', '=', name)
        .where('other.forgottenAt', 'is', null)
        .executeTakeFirst();
      if (other && other.id !== id) throw errors.machineNameTaken();
      await trx
        .updateTable('machines')
        .set(revised(clock.now()))
        .set({ name })
        .where('id', '=', id)
        .execute();
    }),
  setDefault: (userId: string, { id }: StoredId) => saveDefault(db, userId, id),
  /** Since when the machine is paused; null to resume it. */
  setPaused: async ({ id }: StoredId, pausedAt: number | null) => {
    await db
      .updateTable('machines')
      .set(revised(clock.now()))
      .set({ pausedAt })
      .where('id', '=', id)
      .execute();
  },
  /** The machines that the user has removed, newest first. */
  forgotten: (userId: string): Promise<StoredName[]> =>
    db
      .selectFrom('machines')
      .select(['id', 'name'])
      .where('userId', '=', userId)
      .where('forgottenAt', 'is not', null)
      .orderBy('forgottenAt', 'desc')
      .limit(forgottenShown)
      .execute(),
  /** The user's calls since that time, by machine. */
  numbers: (userId: string, since: number): Promise<MachineNumbers[]> =>
    db
      .selectFrom('calls')
      .select(({ fn }) => [
        'machineId',
        fn.countAll<number>().as('calls'),
        sql<number>`sum(case when ${sql.ref('ruling')} = 'asked' then 1 else 0 end)`.as('asked'),
        sql<number>`sum(case when ${sql.ref('state')} = 'denied' then 1 else 0 end)`.as('denied'),
      ])
      .where('userId', '=', userId)
      .where('createdAt', '>=', since)
      .groupBy('machineId')
      .execute(),
  /** Revokes its keys: it can come back only by being paired again. */
  disconnect: ({ id }: StoredId, at: number) => changeRights(() => revokeKeys(db, id, at)),
  /** The same, and it is not listed any more; its calls stay. Throws `machineConnected`. */
  forget: ({ id }: StoredId, at: number) =>
    changeRights(() =>
      db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('machines')
          .set(revised(clock.now()))
          .set({ forgottenAt: at })
          .where('id', '=', id)
          .where('connectedAt', 'is', null)
          .executeTakeFirst();
        if (numUpdatedRows !== 1n) throw errors.machineConnected();
        await revokeKeys(trx, id, at);
      }),
    ),
});

export type ManageMachines = ReturnType<typeof createManageMachines>;
