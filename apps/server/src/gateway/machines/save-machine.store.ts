import { newMachineName } from '@drawbridge/contracts/ids';
import type { Expression, Transaction } from 'kysely';
import type { Schema } from '../../db/index.ts';
import { errors } from '../../errors.ts';
import { namesOf } from './membership.store.ts';
import { jsonOrNull, type MachineInit, type StoredMachine } from './stored-machine.ts';
import { dropToolList, storedDigest, storeToolList } from './tool-lists.store.ts';

/**
 * The name of a machine after an init; undefined to leave it. Throws `tooManyMachines`, and
 * `machineNameTaken` for a name that another machine of the user has.
 */
const nameOf = async (
  trx: Transaction<Schema>,
  { id, userId, info, name, maxMachines }: MachineInit,
  isNew: boolean,
): Promise<string | undefined> => {
  if (name === null && !isNew) return undefined;
  const others = (await namesOf(trx, userId)).filter((machine) => machine.id !== id);
  if (isNew && others.length >= maxMachines) throw errors.tooManyMachines();
  const taken = new Set(others.map((machine) => machine.name));
  if (name !== null && taken.has(name)) throw errors.machineNameTaken();
  return name ?? newMachineName(info.hostIdentifier ?? '', taken);
};

/**
 * Writes what an init said and gives the machine as it then is. Part of the init's transaction. Throws
 * `conflict` where the daemon does not know the newest epoch.
 */
export const saveMachine = async (trx: Transaction<Schema>, init: MachineInit): Promise<StoredMachine> => {
  const { id, userId, info, replaces, graceUntil, after } = init;
  const before = await storedDigest(trx, id);
  const name = await nameOf(trx, init, before === undefined);
  await storeToolList(trx, info.toolList);
  const values = {
    hostIdentifier: info.hostIdentifier ?? '',
    rootPath: info.rootPath,
    toolsDigest: info.toolList.digest,
    toolsRevision: 0,
    categories: JSON.stringify(info.categories),
    modes: jsonOrNull(info.modes),
    daemon: jsonOrNull(info.daemon),
    instance: info.daemon?.instance ?? null,
    connectedAt: info.connectedAt,
    initAt: info.initAt,
    problem: null,
    graceUntil,
    changedAt: info.initAt,
  };
  const raised = await trx
    .insertInto('machines')
    .values({
      ...values,
      id,
      userId,
      name: name ?? '',
      forgottenAt: null,
      pausedAt: null,
      epoch: 1,
      resumesFrom: 1,
      lastSeenAt: null,
      stream: 0,
      serverId: null,
      rules: null,
      createdAt: info.initAt,
      rev: 1,
      takings: 0,
      takingsSince: 0,
    })
    .onConflict((conflict) => {
      const update = conflict.column('id').doUpdateSet(({ eb, ref, lit }) => {
        // Compared in the row: this server may not know yet which daemon connected last.
        const isOther = replaces
          ? lit(true)
          : eb('machines.instance', 'is distinct from', ref('excluded.instance'));
        const ofOther = <Value>(then: Expression<Value>, otherwise: Expression<Value>) =>
          eb.case().when(isOther).then(then).else(otherwise).end();
        return {
          ...values,
          ...(name !== undefined && { name }),
          epoch: eb('machines.epoch', '+', 1),
          rev: eb('machines.rev', '+', 1),
          resumesFrom: ofOther(eb('machines.epoch', '+', 1), ref('machines.resumesFrom')),
          // The stream of the former daemon takes no more calls, at whatever server it is.
          stream: ofOther(eb('machines.stream', '+', 1), ref('machines.stream')),
          serverId: ofOther(lit(null), ref('machines.serverId')),
        };
      });
      return after === null ? update : update.where('machines.epoch', '=', after);
    })
    .returning([
      'name',
      'pausedAt',
      'epoch',
      'resumesFrom',
      'lastSeenAt',
      'stream',
      'serverId',
      'graceUntil',
      'rev',
    ])
    .executeTakeFirst();
  // The list of tools, too, stays as it was.
  if (!raised) throw errors.conflict();
  if (before && before.toolsDigest !== info.toolList.digest) await dropToolList(trx, before.toolsDigest);
  return { id, userId, info: { ...info, ...raised, problem: null } };
};
