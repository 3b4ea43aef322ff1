import type { Kysely } from 'kysely';
import { inParts, type Commit, type Schema } from '../../../db/index.ts';
import { stoppedStates, type CallHead, type CallRecord } from '../call.ts';
import { headColumns, readHead, readRow, unreadableError } from './call-row.ts';
import type { UnreadableRow } from '../../columns.ts';

const flagOrNull = (value: boolean | null) => (value === null ? null : Number(value));

/** Reads calls, and writes what is no transition. */
export const createCallsStore = (db: Kysely<Schema>, commit: Commit) => {
  return {
    /** Keeps a report that came after the end: whether the tool had started. */
    report: async (
      requestId: string,
      { answerDigest, started }: { answerDigest: string; started: boolean | null },
    ) => {
      await db
        .updateTable('calls')
        .set({ answerDigest, started: flagOrNull(started) })
        .set(({ eb }) => ({ rev: eb('rev', '+', 1) }))
        .where('requestId', '=', requestId)
        .where('answerDigest', 'is', null)
        .execute();
    },
    byId: async (requestId: string): Promise<CallRecord | undefined> => {
      const row = await db
        .selectFrom('calls')
        .selectAll()
        .where('requestId', '=', requestId)
        .executeTakeFirst();
      return row && readRow(row).record;
    },
    /** The open calls of those machines, oldest first. */
    openOf: async (machineIds: readonly string[]): Promise<string[]> => {
      const rows = await inParts(machineIds, (part) =>
        db
          .selectFrom('calls')
          .select('requestId')
          .where('machineId', 'in', part)
          .where('endedAt', 'is', null)
          .execute(),
      );
      return rows.map(({ requestId }) => requestId).toSorted();
    },
    /** The present revisions of those calls. */
    revisions: (requestIds: readonly string[]) =>
      inParts(requestIds, (part) =>
        db.selectFrom('calls').select(['requestId', 'rev']).where('requestId', 'in', part).execute(),
      ),
    /** The open ones, oldest first; apart from them those of which something cannot be read. */
    open: async (): Promise<{ calls: CallRecord[]; unreadable: UnreadableRow[] }> => {
      const rows = await db
        .selectFrom('calls')
        .selectAll()
        .where('endedAt', 'is', null)
        .orderBy('createdAt')
        .execute();
      const read = rows.map(readRow);
      return {
        calls: read.flatMap(({ record, unreadable }) => (unreadable.length === 0 ? [record] : [])),
        unreadable: read.flatMap(({ record, unreadable: columns }) =>
          columns.length === 0 ? [] : [{ id: record.requestId, columns }],
        ),
      };
    },
    /**
     * Ends an open call that cannot be taken up as lost, and withdraws its questions. What else stands in the
     * row stays.
     */
    setAside: async (requestId: string, at: number) => {
      const end = db
        .updateTable('calls')
        .set({
          state: 'lost',
          error: JSON.stringify(unreadableError),
          started: null,
          confirmationId: null,
          endedAt: at,
        })
        .set(({ eb }) => ({ rev: eb('rev', '+', 1) }))
        .where('requestId', '=', requestId)
        .where('endedAt', 'is', null);
      const close = db
        .updateTable('confirmations')
        .set({ state: 'withdrawn', decidedAt: at })
        .where('requestId', '=', requestId)
        .where('state', 'not in', ['decided', 'withdrawn', 'expired']);
      await commit([end.compile(), close.compile()], 'synced');
    },
    /**
     * Calls of a user, made since then, that a machine had when they were stopped, and of which it has not
     * said what came of them. At most 100.
     */
    unacknowledged: async (userId: string, since: number): Promise<CallHead[]> => {
      const rows = await db
        .selectFrom('calls')
        .select(headColumns)
        .where('userId', '=', userId)
        .where('createdAt', '>=', since)
        .where('state', 'in', stoppedStates)
        .where('answerDigest', 'is', null)
        .where('epoch', 'is not', null)
        .orderBy('createdAt')
        .limit(100)
        .execute();
      return rows.map(readHead);
    },
  };
};

export type CallsStore = ReturnType<typeof createCallsStore>;
