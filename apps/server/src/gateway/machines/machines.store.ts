import type { GatewayProblem } from '@drawbridge/contracts/gateway';
import { ruleList, type RuleList } from '@drawbridge/contracts/rule-list';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Clock } from '@drawbridge/kit';
import type { Schema, Store } from '../../db/index.ts';
import { createColumns, type UnreadableRow } from '../columns.ts';
import { readMembership } from './membership.store.ts';
import {
  jsonOrNull,
  readMachine,
  readToolList,
  type MachineInfo,
  type StoredMachine,
} from './stored-machine.ts';
import { revised } from './revised.store.ts';
import { createSharedMachines } from './shared-machines.store.ts';
import { createStreamOwners } from './stream-owners.store.ts';
import { createTakings } from './takings.store.ts';
import { dropToolList, storedDigest, storeToolList } from './tool-lists.store.ts';

/** What a machine said of its rules, and when. */
export interface ReportedRules {
  list: RuleList;
  at: number;
}

export interface ToolsChange extends Pick<MachineInfo, 'epoch' | 'toolList' | 'categories' | 'modes'> {
  id: string;
  /** Undefined of a daemon that does not count its lists. */
  revision: number | undefined;
}

const reportedRules = z.object({ list: ruleList, at: z.number() });

/** What `read` gave the first time; what it throws is tried again. */
const once = <Value>(read: () => Value) => {
  let cached: { value: Value } | undefined;
  return () => (cached ??= { value: read() }).value;
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
  const byDigest = new Map(lists.map(({ digest, tools: text }) => [digest, once(() => readToolList(text))]));
  const rows = await chosen.selectAll().execute();
  const stored = rows.map((row) =>
    readMachine(row, byDigest.get(row.toolsDigest) ?? (() => readToolList(undefined))),
  );
  return {
    machines: stored.map(({ machine }) => machine),
    unreadable: stored.flatMap(({ machine: { id }, unreadable: columns }) =>
      columns.length === 0 ? [] : [{ id, columns }],
    ),
  };
};

export const createMachinesStore = ({ db, commit, readTime }: Store, clock: Clock) => {
  const update = () => db.updateTable('machines').set(revised(clock.now()));
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
        (row) => readMachine(row, () => readToolList(row.tools)).machine,
      ),
    byId: async (id: string) => {
      const row = await machines.where('id', '=', id).executeTakeFirst();
      return row && readMachine(row, () => readToolList(row.tools)).machine;
    },
    /** The same, and when it was read, by the time of the database. */
    byIdNow: async (id: string) => {
      const row = await machines.where('id', '=', id).select(readTime().as('readAt')).executeTakeFirst();
      return row && { ...readMachine(row, () => readToolList(row.tools)).machine, readAt: row.readAt };
    },
    toRecover: () => readToRecover(db),
    /** `replaced` where the machine is in another epoch, `late` where it has a newer list of tools. */
    setTools: (change: ToolsChange): Promise<'stored' | 'late' | 'replaced'> =>
      db.transaction().execute(async (trx) => {
        const { id, epoch, revision, toolList, categories: sent, modes } = change;
        const before = await storedDigest(trx, id);
        await storeToolList(trx, toolList);
        const ofEpoch = trx
          .updateTable('machines')
          .set(revised(clock.now()))
          .set({ toolsDigest: toolList.digest, categories: JSON.stringify(sent), modes: jsonOrNull(modes) })
          .where('id', '=', id)
          .where('epoch', '=', epoch);
        const update =
          revision === undefined
            ? ofEpoch
            : ofEpoch.set({ toolsRevision: revision }).where('toolsRevision', '<=', revision);
        const isStored = (await update.executeTakeFirst()).numUpdatedRows === 1n;
        const left = isStored ? before?.toolsDigest : toolList.digest;
        if (left !== undefined && (!isStored || left !== toolList.digest)) await dropToolList(trx, left);
        if (isStored) return 'stored';
        return before?.epoch === epoch ? 'late' : 'replaced';
      }),
    /** A power cut may lose this write: machines reconnect, and open calls are recovered without it. */
    setConnected: async (
      id: string,
      { connectedAt, lastSeenAt }: Pick<MachineInfo, 'connectedAt' | 'lastSeenAt'>,
    ) => {
      const owner = connectedAt === null ? { serverId: null, graceUntil: null } : {};
      const connect = update()
        .set({ connectedAt, lastSeenAt, ...owner })
        .where('id', '=', id);
      await commit([connect.compile()], 'kept');
    },
    ...createStreamOwners(db, commit, clock),
    ...createSharedMachines(db, clock),
    ...createTakings(db, clock),
    setRules: async (id: string, rules: ReportedRules) => {
      await update()
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
      await update().set({ problem }).where('id', '=', id).execute();
    },
  };
};

export type MachinesStore = ReturnType<typeof createMachinesStore>;
