import {
  daemonInfo,
  reportedModes,
  type DaemonInfo,
  type ReportedModes,
} from '@drawbridge/contracts/daemon-surface';
import { newMachineName } from '@drawbridge/contracts/ids';
import { gatewayProblem, type GatewayProblem } from '@drawbridge/contracts/gateway';
import { ruleList, type RuleList } from '@drawbridge/contracts/rule-list';
import { tool } from '@drawbridge/contracts/tool';
import { toolCategory, type ToolCategory } from '@drawbridge/contracts/tool-category';
import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import type { MachineTable, Schema, Store } from '../../db/index.ts';
import { errors } from '../../errors.ts';
import { createStreamOwners } from './stream-owners.store.ts';
import { dropToolList, storedDigest, storeToolList } from './tool-lists.store.ts';
import { createToolList, type ToolList } from './tool-list.ts';
import { createColumns, storedTime, type UnreadableRow } from '../calls/store/columns.ts';

/** What is known of a machine since its last init. */
export interface MachineInfo {
  /** What its person calls it. */
  name: string;
  hostIdentifier: string | null;
  rootPath: string;
  /** Since when its calls are refused; null while it is not paused. */
  pausedAt: number | null;
  toolList: ToolList;
  categories: ToolCategory[];
  /** Null if the daemon reports none. */
  modes: ReportedModes | null;
  daemon: DaemonInfo | null;
  /** Incremented with each init. */
  epoch: number;
  /** The first epoch whose calls the present daemon knows. */
  resumesFrom: number;
  problem: GatewayProblem | null;
  connectedAt: number | null;
  /** When it was connected last; null while it never went away. */
  lastSeenAt: number | null;
  initAt: number;
  /** The number of its newest stream, and the server that has it; null while it has no stream. */
  stream: number;
  serverId: string | null;
}

/** What a machine said of its rules, and when. */
export interface ReportedRules {
  list: RuleList;
  at: number;
}

export interface StoredMachine {
  id: string;
  userId: string;
  info: MachineInfo;
}

/**
 * What an init says; the store raises the epoch and names a new machine. `replaces`: another daemon than the
 * one before.
 */
export interface MachineInit {
  id: string;
  userId: string;
  info: Omit<
    MachineInfo,
    'name' | 'pausedAt' | 'epoch' | 'resumesFrom' | 'problem' | 'lastSeenAt' | 'stream' | 'serverId'
  >;
  replaces: boolean;
  /** What the person calls it; null to leave the name, or to choose one for a new machine. */
  name: string | null;
  /** Machines of one person; a forgotten one does not count. */
  maxMachines: number;
}

export interface ToolsChange extends Pick<MachineInfo, 'epoch' | 'toolList' | 'categories' | 'modes'> {
  id: string;
}

/** A machine of a person, as far as it is told from their others. */
export interface NamedMachine {
  id: string;
  name: string;
  pausedAt: number | null;
}

/** Which machines a user has. */
export interface Membership {
  /** Those that are not forgotten, oldest first. */
  machines: readonly NamedMachine[];
  /** The one that the user has chosen as the default; null for none. */
  defaultId: string | null;
}

const categories = z.array(toolCategory);
const reportedRules = z.object({ list: ruleList, at: z.number() });
const tools = z.array(tool);

/** What `read` gave the first time; what it throws is tried again. */
const once = <Value>(read: () => Value) => {
  let cached: { value: Value } | undefined;
  return () => (cached ??= { value: read() }).value;
};

const readList = (text: string | undefined): ToolList => createToolList(tools.parse(JSON.parse(text ?? '')));

/** A machine of which something cannot be read offers nothing until its daemon announces itself again. */
const read = (row: MachineTable, list: () => ToolList) => {
  const columns = createColumns();
  const machine: StoredMachine = {
    id: row.id,
    userId: row.userId,
    info: {
      hostIdentifier: row.hostIdentifier === '' ? null : row.hostIdentifier,
      name: row.name,
      rootPath: row.rootPath,
      pausedAt: row.pausedAt,
      toolList: columns.read('tools', list, createToolList([])),
      categories: columns.read('categories', () => categories.parse(JSON.parse(row.categories)), []),
      modes:
        row.modes === null
          ? null
          : columns.read('modes', () => reportedModes.parse(JSON.parse(row.modes ?? '')), null),
      daemon:
        row.daemon === null
          ? null
          : columns.read('daemon', () => daemonInfo.parse(JSON.parse(row.daemon ?? '')), null),
      epoch: row.epoch,
      resumesFrom: row.resumesFrom,
      problem: columns.read('problem', () => gatewayProblem.nullable().parse(row.problem), null),
      connectedAt: columns.read('connectedAt', () => storedTime.nullable().parse(row.connectedAt), null),
      lastSeenAt: columns.read('lastSeenAt', () => storedTime.nullable().parse(row.lastSeenAt), null),
      initAt: row.initAt,
      stream: row.stream,
      serverId: row.serverId,
    },
  };
  return { machine, unreadable: columns.unreadable };
};

/** Makes a machine the one that is meant where its person names none. */
export const saveDefault = async (db: Kysely<Schema>, userId: string, id: string): Promise<void> => {
  await db
    .insertInto('userSettings')
    .values({ userId, defaultMachineId: id })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet({ defaultMachineId: id }))
    .execute();
};

const jsonOrNull = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

const namesOf = (db: Kysely<Schema>, userId: string) =>
  db
    .selectFrom('machines')
    .select(['id', 'name', 'pausedAt'])
    .where('userId', '=', userId)
    .where('forgottenAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();

const readMembership = async (db: Kysely<Schema>, userId: string): Promise<Membership> => {
  const row = await db
    .selectFrom('userSettings')
    .select('defaultMachineId')
    .where('userId', '=', userId)
    .executeTakeFirst();
  return { machines: await namesOf(db, userId), defaultId: row?.defaultMachineId ?? null };
};

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

/** Writes what an init said and gives the machine as it then is. Part of the init's transaction. */
export const saveMachine = async (trx: Transaction<Schema>, init: MachineInit): Promise<StoredMachine> => {
  const { id, userId, info, replaces } = init;
  const before = await storedDigest(trx, id);
  const name = await nameOf(trx, init, before === undefined);
  await storeToolList(trx, info.toolList);
  const values = {
    hostIdentifier: info.hostIdentifier ?? '',
    rootPath: info.rootPath,
    toolsDigest: info.toolList.digest,
    categories: JSON.stringify(info.categories),
    modes: jsonOrNull(info.modes),
    daemon: jsonOrNull(info.daemon),
    instance: info.daemon?.instance ?? null,
    connectedAt: info.connectedAt,
    initAt: info.initAt,
    problem: null,
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
    })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ eb, ref }) => ({
        ...values,
        ...(name !== undefined && { name }),
        epoch: eb('machines.epoch', '+', 1),
        resumesFrom: replaces ? eb('machines.epoch', '+', 1) : ref('machines.resumesFrom'),
      })),
    )
    .returning(['name', 'pausedAt', 'epoch', 'resumesFrom', 'lastSeenAt', 'stream', 'serverId'])
    .executeTakeFirstOrThrow();
  if (before && before.toolsDigest !== info.toolList.digest) await dropToolList(trx, before.toolsDigest);
  return { id, userId, info: { ...info, ...raised, problem: null } };
};

/**
 * The machines that were connected when the server stopped, and those with open calls; and which of them
 * could not be read whole.
 */
const readToRecover = async (
  db: Kysely<Schema>,
): Promise<{ machines: StoredMachine[]; unreadable: UnreadableRow[] }> => {
  const openCalls = db.selectFrom('calls').select('machineId').where('endedAt', 'is', null);
  const chosen = db
    .selectFrom('machines')
    .where((where) => where.or([where('connectedAt', 'is not', null), where('id', 'in', openCalls)]));
  // Many machines offer the same tools: each list is read once.
  const lists = await db
    .selectFrom('toolLists')
    .selectAll()
    .where('digest', 'in', chosen.select('toolsDigest'))
    .execute();
  const byDigest = new Map(lists.map(({ digest, tools: text }) => [digest, once(() => readList(text))]));
  const rows = await chosen.selectAll().execute();
  const stored = rows.map((row) => read(row, byDigest.get(row.toolsDigest) ?? (() => readList(undefined))));
  return {
    machines: stored.map(({ machine }) => machine),
    unreadable: stored.flatMap(({ machine: { id }, unreadable: columns }) =>
      columns.length === 0 ? [] : [{ id, columns }],
    ),
  };
};

export const createMachinesStore = ({ db, commit }: Store) => {
  const machines = db
    .selectFrom('machines')
    .innerJoin('toolLists', 'toolLists.digest', 'machines.toolsDigest')
    .selectAll('machines')
    .select('toolLists.tools');
  return {
    membership: (userId: string) => readMembership(db, userId),
    /** The machines of `membership` with all that is known of them. */
    ofUser: async (userId: string) =>
      (await machines.where('userId', '=', userId).where('forgottenAt', 'is', null).execute()).map(
        (row) => read(row, () => readList(row.tools)).machine,
      ),
    byId: async (id: string) => {
      const row = await machines.where('id', '=', id).executeTakeFirst();
      return row && read(row, () => readList(row.tools)).machine;
    },
    toRecover: () => readToRecover(db),
    /** Another list of tools, where the machine is still in that epoch; false otherwise. */
    setTools: ({ id, epoch, toolList, categories: sent, modes }: ToolsChange): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const before = await storedDigest(trx, id);
        await storeToolList(trx, toolList);
        const { numUpdatedRows } = await trx
          .updateTable('machines')
          .set({ toolsDigest: toolList.digest, categories: JSON.stringify(sent), modes: jsonOrNull(modes) })
          .where('id', '=', id)
          .where('epoch', '=', epoch)
          .executeTakeFirst();
        const isKept = numUpdatedRows === 1n;
        const left = isKept ? before?.toolsDigest : toolList.digest;
        if (left !== undefined && (!isKept || left !== toolList.digest)) await dropToolList(trx, left);
        return isKept;
      }),
    /** A power cut may lose this write: machines reconnect, and open calls are recovered without it. */
    setConnected: async (
      id: string,
      { connectedAt, lastSeenAt }: Pick<MachineInfo, 'connectedAt' | 'lastSeenAt'>,
    ) => {
      const owner = connectedAt === null ? { serverId: null } : {};
      const connect = db
        .updateTable('machines')
        .set({ connectedAt, lastSeenAt, ...owner })
        .where('id', '=', id);
      await commit([connect.compile()], 'kept');
    },
    ...createStreamOwners(db, commit),
    setRules: async (id: string, rules: ReportedRules) => {
      await db
        .updateTable('machines')
        .set({ rules: JSON.stringify(rules) })
        .where('id', '=', id)
        .execute();
    },
    /** Null if it never reported any that can be read. */
    rulesOf: async (id: string): Promise<ReportedRules | null> => {
      const row = await db.selectFrom('machines').select('rules').where('id', '=', id).executeTakeFirst();
      const text = row?.rules ?? null;
      if (text === null) return null;
      return createColumns().read('rules', () => reportedRules.parse(JSON.parse(text)), null);
    },
    setProblem: async (id: string, problem: GatewayProblem) => {
      await db.updateTable('machines').set({ problem }).where('id', '=', id).execute();
    },
  };
};

export type MachinesStore = ReturnType<typeof createMachinesStore>;
