import type { Kysely } from 'kysely';
import type { CallVia } from '@drawbridge/contracts/calls';
import { inParts, type Schema } from '../../../db/index.ts';
import { stoppedStates, type CallRecord } from '../call.ts';
import { readRow } from './call-row.ts';

/** Rows that one sweep takes. */
const sweptAtOnce = 100;
/** How much later a deadline has to be before it is stored: each report of progress makes a new one. */
const storedEveryMs = 5_000;

interface Maker {
  userId: string;
  via: Pick<CallVia, 'kind' | 'id'>;
}

const openCalls = (db: Kysely<Schema>) =>
  db.selectFrom('calls').where('endedAt', 'is', null).where('dueAt', 'is not', null);

/** Whose calls are open, and how many. */
const createOpenCounts = (db: Kysely<Schema>) => {
  const ofUser = (userId: string) => openCalls(db).where('userId', '=', userId);
  const ofMaker = ({ userId, via }: Maker) =>
    ofUser(userId).where('viaKind', '=', via.kind).where('viaId', '=', via.id);

  return {
    /** The open calls that came through one token or client. */
    ofMaker: async (maker: Maker): Promise<string[]> =>
      (await ofMaker(maker).select('requestId').execute()).map(({ requestId }) => requestId),
    /** How many calls of the user are open, and how many of the token or client. */
    count: async ({ userId, via }: Pick<CallRecord, 'userId' | 'via'>) => {
      const counted = async (query: ReturnType<typeof openCalls>) =>
        Number(
          (await query.select(({ fn }) => fn.countAll<number>().as('open')).executeTakeFirstOrThrow()).open,
        );
      return {
        ofUser: await counted(ofUser(userId)),
        ofMaker: via === null ? 0 : await counted(ofMaker({ userId, via })),
      };
    },
  };
};

/** Of these calls those that have not ended. */
const stillOpen =
  (db: Kysely<Schema>) =>
  async (requestIds: readonly string[]): Promise<Set<string>> => {
    const rows = await inParts(requestIds, (part) =>
      db
        .selectFrom('calls')
        .select('requestId')
        .where('requestId', 'in', part)
        .where('endedAt', 'is', null)
        .execute(),
    );
    return new Set(rows.map(({ requestId }) => requestId));
  };

/** What several servers look for in calls; a single one has it in its memory. */
export const createSharedCallsStore = (db: Kysely<Schema>) => {
  const open = openCalls(db);
  const update = (requestId: string) =>
    db.updateTable('calls').where('requestId', '=', requestId).where('endedAt', 'is', null);

  return {
    /** Calls from before the store had several servers get a time limit. */
    startLimits: async () => {
      await db
        .updateTable('calls')
        .set(({ ref }) => ({ dueAt: ref('endsAt') }))
        .where('endedAt', 'is', null)
        .where('dueAt', 'is', null)
        .execute();
    },
    /** Open calls whose time limit was before that time. */
    overdue: async (at: number): Promise<{ requestId: string; dueAt: number }[]> => {
      const rows = await open
        .select(['requestId', 'dueAt'])
        .where('dueAt', '<=', at)
        .orderBy('dueAt')
        .limit(sweptAtOnce)
        .execute();
      return rows.map(({ requestId, dueAt }) => ({ requestId, dueAt: dueAt ?? 0 }));
    },
    /** The time limit of an open call; null for one that has ended. */
    dueAt: async (requestId: string): Promise<number | null> =>
      (await open.select('dueAt').where('requestId', '=', requestId).executeTakeFirst())?.dueAt ?? null,
    setDue: async (requestId: string, dueAt: number) => {
      await update(requestId).set({ dueAt }).execute();
    },
    /** The same, where it is later by a while than what is stored. */
    prolong: async (requestId: string, dueAt: number) => {
      const before = dueAt - storedEveryMs;
      await update(requestId).set({ dueAt }).where('dueAt', '<', before).execute();
    },
    /** Open calls whose callers waited at a server that is gone. */
    ofDeadServers: async (): Promise<CallRecord[]> => {
      const rows = await db
        .selectFrom('calls')
        .selectAll()
        .where('endedAt', 'is', null)
        .where('makerId', 'is not', null)
        .where('makerId', 'not in', ({ selectFrom }) => selectFrom('servers').select('servers.id'))
        .limit(sweptAtOnce)
        .execute();
      return rows.map((row) => readRow(row).record);
    },
    stillOpen: stillOpen(db),
    forgetMaker: async (requestId: string) => {
      await db.updateTable('calls').set({ makerId: null }).where('requestId', '=', requestId).execute();
    },
    /** Open calls that wait for a stream which that server has. */
    waitingOn: async (serverId: string): Promise<string[]> => {
      const rows = await db
        .selectFrom('calls')
        .innerJoin('machines', 'machines.id', 'calls.machineId')
        .select('calls.requestId')
        .where('calls.endedAt', 'is', null)
        .where('calls.state', '=', 'pending')
        .where('machines.serverId', '=', serverId)
        .execute();
      return rows.map(({ requestId }) => requestId).toSorted();
    },
    /** Calls that were stopped since then and not acknowledged, of machines with a stream at that server. */
    stoppedOn: (serverId: string, since: number) =>
      db
        .selectFrom('calls')
        .innerJoin('machines', 'machines.id', 'calls.machineId')
        .select(['calls.requestId', 'calls.machineId', 'calls.state', 'calls.epoch'])
        .select(['calls.tool', 'calls.denialReason'])
        .where('calls.endedAt', '>', since)
        .where('calls.answerDigest', 'is', null)
        .where('calls.dueAt', 'is not', null)
        .where('calls.state', 'in', stoppedStates)
        .where('calls.epoch', 'is not', null)
        .where('machines.serverId', '=', serverId)
        .execute(),
    ...createOpenCounts(db),
  };
};

export type SharedCallsStore = ReturnType<typeof createSharedCallsStore>;
