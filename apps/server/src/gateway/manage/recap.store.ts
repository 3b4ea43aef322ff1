import type { RecapRow } from '@drawbridge/contracts/machines/recap';
import { sql, type Kysely } from 'kysely';
import { undoableTools } from '@drawbridge/contracts/machines/undo-change';
import type { Schema } from '../../db/index.ts';

/** In milliseconds since 1970; `to` is not included. */
export interface RecapTimes {
  from: number;
  to: number;
}

const countIf = (condition: ReturnType<typeof sql<boolean>>) =>
  sql<number>`count(*) filter (where ${condition})`;

const counts = {
  calls: sql<number>`count(*)`,
  asked: countIf(sql`ruling = 'asked'`),
  byRule: countIf(sql`ruling = 'rule'`),
  denied: countIf(sql`state = 'denied'`),
  failed: countIf(sql`state = 'failed'`),
  commands: countIf(sql`tool = 'shell_execute'`),
  processes: countIf(sql`tool = 'process_start'`),
};
type Count = keyof typeof counts;
const names = Object.keys(counts) as Count[];

/** All chats are one caller. */
const makerId = sql<string | null>`case when ${sql.ref('viaKind')} = 'thread' then null
  else ${sql.ref('viaId')} end`;

const byOf = (kind: string | null, id: string | null): string =>
  kind === null ? 'panel' : kind === 'thread' ? 'chat' : `${kind}:${id ?? ''}`;

/** Of each of these calls, what its maker was called. */
const namesOf = async (db: Kysely<Schema>, requestIds: string[]): Promise<Map<string, string>> => {
  const rows = await db
    .selectFrom('calls')
    .select(['requestId', 'via'])
    .where('requestId', 'in', requestIds)
    .execute();
  return new Map(
    rows.map(({ requestId, via }) => [
      requestId,
      via === null ? '' : (JSON.parse(via) as { name: string }).name,
    ]),
  );
};

/** Visits of people, and what was called between two of them. */
export const createRecapStore = (db: Kysely<Schema>) => {
  const visit = (userId: string) => db.updateTable('visits').where('userId', '=', userId);
  return {
    /** Notes that the person is here now. Gives what their recap is about; null for nothing. */
    visit: async (
      userId: string,
      { now, isNewAfter }: { now: number; isNewAfter: number },
    ): Promise<RecapTimes | null> => {
      const first = { userId, visitedAt: now, recapFrom: null, recapTo: null };
      await db
        .insertInto('visits')
        .values(first)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      // Of two windows that open together, one begins the visit.
      await visit(userId)
        .set(({ ref }) => ({ recapFrom: ref('visitedAt'), recapTo: now, visitedAt: now }))
        .where('visitedAt', '<', isNewAfter)
        .execute();
      const row = await visit(userId)
        .set({ visitedAt: now })
        .returning(['recapFrom', 'recapTo'])
        .executeTakeFirst();
      const { recapFrom: from = null, recapTo: to = null } = row ?? {};
      return from === null || to === null ? null : { from, to };
    },
    /** Calls that changed files, or may have, in that time or after it; newest first. */
    fileCalls: (userId: string, { from, reach }: { from: number; reach: number }, limit: number) =>
      db
        .selectFrom('calls')
        .select(['requestId', 'machineId', 'tool', 'subject', 'state', 'started', 'createdAt', 'endedAt'])
        .where('userId', '=', userId)
        .where('createdAt', '>=', from - reach)
        .where('tool', 'in', undoableTools)
        .where('state', 'not in', ['denied', 'failed'])
        .where((where) => where.or([where('endedAt', 'is', null), where('endedAt', '>=', from)]))
        .orderBy('createdAt', 'desc')
        .orderBy('requestId', 'desc')
        .limit(limit)
        .execute(),
    /** The results of these calls, as they are stored. */
    results: (requestIds: readonly string[]) =>
      db.selectFrom('calls').select(['requestId', 'result']).where('requestId', 'in', requestIds).execute(),
    /** Ends the recap up to that time; one of a later visit stays. */
    seen: async (userId: string, to: number): Promise<void> => {
      await visit(userId).set({ recapFrom: null, recapTo: null }).where('recapTo', '<=', to).execute();
    },
    /** One row for each agent and machine, most calls first. The index `callsByFilter` answers it alone. */
    rows: async (userId: string, { from, to }: RecapTimes, limit: number) => {
      const found = await db
        .selectFrom('calls')
        .select(['viaKind', makerId.as('makerId'), 'machineId'])
        .select(({ fn }) => fn.max('requestId').as('last'))
        .select(names.map((name) => counts[name].as(name)))
        .where('userId', '=', userId)
        .where('createdAt', '>=', from)
        .where('createdAt', '<', to)
        .groupBy(['viaKind', makerId, 'machineId'])
        .orderBy(counts.calls, 'desc')
        .execute();
      if (found.length === 0) return { rows: [], others: { rows: 0, calls: 0 } };
      const shown = found.slice(0, limit);
      const rest = found.slice(limit);
      const named = await namesOf(
        db,
        shown.map(({ last }) => last),
      );
      const rows = shown.map(({ viaKind, makerId: id, machineId, last, ...sums }): RecapRow => {
        const by = byOf(viaKind, id);
        const numbers = Object.fromEntries(names.map((name) => [name, Number(sums[name])]));
        const name = by === 'chat' ? '' : (named.get(last) ?? '');
        return { by, name, machineId, ...(numbers as Record<Count, number>) };
      });
      return {
        rows,
        others: { rows: rest.length, calls: rest.reduce((sum, { calls }) => sum + Number(calls), 0) },
      };
    },
  };
};

export type RecapStore = ReturnType<typeof createRecapStore>;
/** A call of a file tool. */
export type FileCall = Awaited<ReturnType<RecapStore['fileCalls']>>[number];
