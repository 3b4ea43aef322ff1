import type { CallVia, ListCallsInput } from '@drawbridge/contracts';
import { sql, type Kysely, type Selectable } from 'kysely';
import {
  prepareQuery,
  type CallTable,
  type Durability,
  type GroupCommit,
  type Schema,
  type Slot,
} from '../db/index.ts';
import type { CallHead, CallRecord } from './call-record.ts';
import { headColumns, readHead, readRow, unreadableError } from './call-row.ts';
import { lastTime, type UnreadableRow } from './columns.ts';

/** How a confirmation that is open closes without an answer, together with its call. */
export interface ClosingConfirmation {
  id: string;
  as: 'withdrawn' | 'expired';
}

export interface BesideEnd {
  closing: ClosingConfirmation | null;
  /** The JSON of the record's result, where it has been made already: it may be large. */
  resultText: string | null;
}

export interface CallsStore {
  insert(record: CallRecord, durability: Durability): Promise<void>;
  /** Writes down where an open call stands. */
  move(record: CallRecord): Promise<void>;
  /** Writes down how a call ended, once: a row that has ended is left as it is. With a confirmation it is always synced. */
  end(record: CallRecord, durability: Durability, beside: BesideEnd): Promise<void>;
  /** Keeps a report that came after the end: whether the tool had started. */
  report(requestId: string, report: { answerDigest: string; started: boolean | null }): Promise<void>;
  byId(requestId: string): Promise<CallRecord | undefined>;
  /** The open ones, oldest first; apart from them those of which something cannot be read. */
  open(): Promise<{ calls: CallRecord[]; unreadable: UnreadableRow[] }>;
  /** Ends an open call that cannot be taken up as lost, and withdraws its questions. What else stands in the row stays. */
  setAside(requestId: string, at: number): Promise<void>;
  /** Calls of a user, made since then, that a machine had when they were stopped, and of which it has not said what came of them. At most 100. */
  unacknowledged(userId: string, since: number): Promise<CallHead[]>;
  /** Newest first, from behind the cursor on; one more than `limit` when there is more. With `via` those that came through it. */
  list(whose: { userId: string; via: CallVia | undefined }, input: ListCallsInput): Promise<CallHead[]>;
}

const textOrNull = (value: unknown) => (value === null ? null : JSON.stringify(value));
const flagOrNull = (value: boolean | null) => (value === null ? null : Number(value));

type EndedRow = Omit<Selectable<CallTable>, 'arguments'>;

const endedRow = (record: Omit<CallRecord, 'arguments'>, resultText: string | null = null): EndedRow => ({
  ...record,
  via: textOrNull(record.via),
  result: resultText ?? textOrNull(record.result),
  error: textOrNull(record.error),
  started: flagOrNull(record.started),
});

/** `createdAt` and id of the last call of a page. */
const cursorText = /^(\d{1,16})\.([A-Za-z0-9_-]{1,64})$/;

export const cursorOf = (head: CallHead): string => `${head.createdAt}.${head.requestId}`;

/** False for a text that no page gave. */
export const isCursor = (text: string): boolean => cursorText.test(text);

/** Reads from `db`; writes go through `commit`, so that calls that come together share one sync of the disk. */
export const createCallsStore = (db: Kysely<Schema>, commit: GroupCommit): CallsStore => {
  const insertRow = prepareQuery((slot: Slot<Selectable<CallTable>>) =>
    db.insertInto('calls').values({
      requestId: slot('requestId'),
      userId: slot('userId'),
      machineId: slot('machineId'),
      tool: slot('tool'),
      arguments: slot('arguments'),
      door: slot('door'),
      via: slot('via'),
      state: slot('state'),
      result: slot('result'),
      error: slot('error'),
      started: slot('started'),
      decision: slot('decision'),
      decidedBy: slot('decidedBy'),
      confirmationId: slot('confirmationId'),
      epoch: slot('epoch'),
      answerDigest: slot('answerDigest'),
      endsAt: slot('endsAt'),
      createdAt: slot('createdAt'),
      deliveredAt: slot('deliveredAt'),
      endedAt: slot('endedAt'),
    }),
  );
  const endRow = prepareQuery((slot: Slot<EndedRow>) =>
    db
      .updateTable('calls')
      .set({
        state: slot('state'),
        error: slot('error'),
        started: slot('started'),
        decision: slot('decision'),
        decidedBy: slot('decidedBy'),
        confirmationId: null,
        answerDigest: slot('answerDigest'),
        endedAt: slot('endedAt'),
        result: slot('result'),
      })
      .where('requestId', '=', slot('requestId'))
      .where('endedAt', 'is', null),
  );

  return {
    insert: async (record, durability) => {
      const row = { ...endedRow(record), arguments: JSON.stringify(record.arguments) };
      await commit([insertRow(row)], durability);
    },
    move: async ({ requestId, state, epoch, deliveredAt }) => {
      const moveRow = db
        .updateTable('calls')
        .set({ state, epoch, deliveredAt })
        .where('requestId', '=', requestId)
        .where('endedAt', 'is', null);
      await commit([moveRow.compile()], 'synced');
    },
    end: async (record, durability, { closing, resultText }) => {
      const row = endedRow(record, resultText);
      if (closing === null) return commit([endRow(row)], durability);
      const close = db
        .updateTable('confirmations')
        .set({ state: closing.as, decidedAt: record.endedAt })
        .where('id', '=', closing.id)
        .where('state', '=', 'open');
      return commit([endRow(row), close.compile()], 'synced');
    },
    report: async (requestId, { answerDigest, started }) => {
      await db
        .updateTable('calls')
        .set({ answerDigest, started: flagOrNull(started) })
        .where('requestId', '=', requestId)
        .where('answerDigest', 'is', null)
        .execute();
    },
    byId: async (requestId) => {
      const row = await db
        .selectFrom('calls')
        .selectAll()
        .where('requestId', '=', requestId)
        .executeTakeFirst();
      return row && readRow(row).record;
    },
    open: async () => {
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
    setAside: async (requestId, at) => {
      const end = db
        .updateTable('calls')
        .set({
          state: 'lost',
          error: JSON.stringify(unreadableError),
          started: null,
          confirmationId: null,
          endedAt: at,
        })
        .where('requestId', '=', requestId)
        .where('endedAt', 'is', null);
      const close = db
        .updateTable('confirmations')
        .set({ state: 'withdrawn', decidedAt: at })
        .where('requestId', '=', requestId)
        .where('state', 'not in', ['decided', 'withdrawn', 'expired']);
      await commit([end.compile(), close.compile()], 'synced');
    },
    unacknowledged: async (userId, since) => {
      const rows = await db
        .selectFrom('calls')
        .select(headColumns)
        .where('userId', '=', userId)
        .where('createdAt', '>=', since)
        .where('state', 'in', ['cancelled', 'timed-out'])
        .where('answerDigest', 'is', null)
        .where('epoch', 'is not', null)
        .orderBy('createdAt')
        .limit(100)
        .execute();
      return rows.map(readHead);
    },
    list: async ({ userId, via }, { cursor, limit }) => {
      const page = db
        .selectFrom('calls')
        .select(headColumns)
        .where('userId', '=', userId)
        // A call whose time cannot be read has no place in the order.
        .where('createdAt', '<=', lastTime)
        .$if(via !== undefined, (query) =>
          query
            .where(sql`json_extract(via, '$.kind')`, '=', via?.kind)
            .where(sql`json_extract(via, '$.id')`, '=', via?.id)
            .where('via', 'is not', null),
        )
        .orderBy('createdAt', 'desc')
        .orderBy('requestId', 'desc')
        .limit(limit + 1);
      const [, createdAt, requestId] = cursorText.exec(cursor ?? '') ?? [];
      if (createdAt === undefined || requestId === undefined) return (await page.execute()).map(readHead);
      const behind = page
        .where('createdAt', '<=', Number(createdAt))
        .where((where) =>
          where.or([where('createdAt', '<', Number(createdAt)), where('requestId', '<', requestId)]),
        );
      return (await behind.execute()).map(readHead);
    },
  };
};
