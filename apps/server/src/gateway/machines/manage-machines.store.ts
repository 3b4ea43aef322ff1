import type { Kysely } from 'kysely';
import type { Schema } from '../../db/index.ts';
import { errors } from '../../errors.ts';
import { revoke } from '../pairing/keys.store.ts';
import { saveDefault } from './machines.store.ts';

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
export const createManageMachines = (db: Kysely<Schema>) => ({
  /** Those that are not forgotten, oldest first. */
  list: (userId: string): Promise<ListedMachine[]> => list(db, userId),
  /** Throws `machineNameTaken` for a name that another machine of the user has. */
  rename: ({ id }: ListedMachine, name: string) =>
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
      await trx.updateTable('machines').set({ name }).where('id', '=', id).execute();
    }),
  setDefault: (userId: string, { id }: ListedMachine) => saveDefault(db, userId, id),
  /** Revokes its keys: it can come back only by being paired again. */
  disconnect: ({ id }: ListedMachine, at: number) => revokeKeys(db, id, at),
  /** The same, and it is not listed any more; its calls stay. Throws `machineConnected`. */
  forget: ({ id }: ListedMachine, at: number) =>
    db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('machines')
        .set({ forgottenAt: at })
        .where('id', '=', id)
        .where('connectedAt', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) throw errors.machineConnected();
      await revokeKeys(trx, id, at);
    }),
});

export type ManageMachines = ReturnType<typeof createManageMachines>;
