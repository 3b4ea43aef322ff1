import { createHash } from 'node:crypto';
import { notKeptArgument } from '@drawbridge/contracts/tool-call';
import type { Kysely, Selectable } from 'kysely';
import {
  prepareQuery,
  OutdatedError,
  type CallTable,
  type Commit,
  type ConfirmationTable,
  type Durability,
  type Schema,
  type Slot,
  type Write,
} from '../../../db/index.ts';
import type { CallRecord } from '../call.ts';
import { prepareCallQueries } from './call-queries.store.ts';
import type { CallWrite, OpenLimits } from './call-write.ts';
import { newConfirmationRow, type ConfirmationAnswerRecord } from './confirmation-row.ts';

/** The longest arguments, as JSON in bytes, that are kept of a call that has ended. */
const keptBytes = 64 * 1024;

/** What the store keeps of the arguments of an ended call: their digest where they are long, else null. */
const digestOfLong = (args: Record<string, unknown>): string | null => {
  const text = JSON.stringify(args);
  // A character is at most three bytes.
  if (text.length * 3 <= keptBytes) return null;
  const bytes = Buffer.byteLength(text);
  if (bytes <= keptBytes) return null;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return JSON.stringify({ [notKeptArgument]: { bytes, sha256 } });
};

type Row = Selectable<CallTable>;

const textOrNull = (value: unknown) => (value === null ? null : JSON.stringify(value));
const flagOrNull = (value: boolean | null) => (value === null ? null : Number(value));

/** Columns whose text costs time to make. */
interface Texts {
  result: string | null;
  arguments: string;
}

// One literal: a spread of 14 columns into 24 takes 12 µs a call.
const rowOf = (record: CallRecord, texts: Texts, shared: Pick<Row, 'makerId' | 'dueAt'>): Row => ({
  requestId: record.requestId,
  userId: record.userId,
  machineId: record.machineId,
  tool: record.tool,
  subject: record.subject,
  arguments: texts.arguments,
  door: record.door,
  via: textOrNull(record.via),
  viaKind: record.via?.kind ?? null,
  viaId: record.via?.id ?? null,
  state: record.state,
  result: texts.result,
  error: textOrNull(record.error),
  started: flagOrNull(record.started),
  ruling: record.ruling,
  decision: record.decision,
  decidedBy: record.decidedBy,
  denialReason: record.denialReason,
  confirmationId: record.confirmationId,
  epoch: record.epoch,
  answerDigest: record.answerDigest,
  endsAt: record.endsAt,
  rev: record.rev,
  createdAt: record.createdAt,
  deliveredAt: record.deliveredAt,
  endedAt: record.endedAt,
  makerId: shared.makerId,
  dueAt: shared.dueAt,
});

const insertedRow = (write: CallWrite & { type: 'insert-call' }) => {
  const { record } = write;
  const texts = { result: textOrNull(record.result), arguments: JSON.stringify(record.arguments) };
  return rowOf(record, texts, write);
};

/** An update leaves the arguments and the maker as they are. */
const updatedRow = ({ record, resultText, dueAt }: CallWrite & { type: 'update-call' }) =>
  rowOf(record, { result: resultText ?? textOrNull(record.result), arguments: '' }, { makerId: null, dueAt });

const prepareConfirmationQueries = (db: Kysely<Schema>) => ({
  open: prepareQuery((slot: Slot<Selectable<ConfirmationTable>>) =>
    db.insertInto('confirmations').values({
      id: slot('id'),
      requestId: slot('requestId'),
      userId: slot('userId'),
      machineId: slot('machineId'),
      payload: slot('payload'),
      questionDigest: slot('questionDigest'),
      state: slot('state'),
      createdAt: slot('createdAt'),
      expiresAt: slot('expiresAt'),
    }),
  ),
  answer: ({ id, approved, decision, reach, at, ...who }: ConfirmationAnswerRecord) =>
    db
      .updateTable('confirmations')
      .set({
        state: 'decided',
        approved: Number(approved),
        decision,
        reach,
        decidedBy: who.decidedBy,
        decidedVia: textOrNull(who.decidedVia),
        settledBy: who.settledBy,
        decidedAt: at,
      })
      .where('id', '=', id)
      .where('state', '=', 'open')
      .where('expiresAt', '>', at)
      .compile(),
  close: ({ id, as, at }: CallWrite & { type: 'close-confirmation' }) =>
    db
      .updateTable('confirmations')
      .set({ state: as, decidedAt: at })
      .where('id', '=', id)
      .where('state', '=', 'open')
      .compile(),
});

const endClaim = (db: Kysely<Schema>, { key, requestId }: CallWrite & { type: 'end-claim' }) =>
  db
    .updateTable('onceKeys')
    .set({ claimedUntil: null })
    .where('key', '=', key)
    .where('subject', '=', requestId)
    .where('claimedUntil', 'is not', null)
    .compile();

/** Locks the row: no other server takes the thread before the call is stored. */
const requireDriver = (db: Kysely<Schema>, { driver }: CallWrite & { type: 'require-driver' }) =>
  db
    .updateTable('agentThreads')
    .set({ fence: driver.fence })
    .where('userId', '=', driver.userId)
    .where('id', '=', driver.threadId)
    .where('driverId', '=', driver.driverId)
    .where('fence', '=', driver.fence)
    .compile();

/** Writes go through `commit`, so that calls that come together share one sync of the disk. */
export const createTransitionsStore = (db: Kysely<Schema>, commit: Commit, openLimits: OpenLimits | null) => {
  const calls = prepareCallQueries(db, openLimits);
  const confirmations = prepareConfirmationQueries(db);

  const insertCall = (write: CallWrite & { type: 'insert-call' }) => {
    const row = insertedRow(write);
    const { fence } = write;
    return fence === 'connected'
      ? calls.insertConnected(row)
      : calls.insertDelivered(Object.assign(row, fence));
  };

  const updateCall = (write: CallWrite & { type: 'update-call' }) => {
    const row = updatedRow(write);
    const { fence } = write;
    if (fence === undefined) return calls.update(row);
    if ('askedIn' in fence) return calls.updateInEpoch(Object.assign(row, fence));
    return 'serverId' in fence
      ? calls.deliver(Object.assign(row, fence))
      : calls.updateOnNewest(Object.assign(row, fence));
  };

  const toWrite = (write: CallWrite): Write => {
    switch (write.type) {
      case 'end-claim':
        return { query: endClaim(db, write), rows: 1 };
      case 'require-driver':
        return { query: requireDriver(db, write), rows: 1 };
      case 'insert-call':
        return { query: insertCall(write), rows: 1 };
      case 'update-call':
        return { query: updateCall(write), rows: 1 };
      case 'open-confirmation':
        return confirmations.open(newConfirmationRow(write.confirmation, write.record));
      case 'answer-confirmation':
        return { query: confirmations.answer(write.answer), rows: 1 };
      case 'close-confirmation':
        return confirmations.close(write);
      default:
        return write satisfies never;
    }
  };
  /** Long arguments are not kept once their call has ended. */
  const shortened = (write: CallWrite): Write[] => {
    if (write.type !== 'update-call' || write.record.endedAt === null) return [];
    const { requestId } = write.record;
    const digest = digestOfLong(write.record.arguments);
    if (digest === null) return [];
    const update = db.updateTable('calls').set({ arguments: digest }).where('requestId', '=', requestId);
    return [{ query: update.compile(), rows: 1 }];
  };
  return {
    /** Writes all or none; false, with nothing written, where another write came first. */
    apply: (writes: readonly CallWrite[], durability: Durability): Promise<boolean> =>
      commit([...writes.map(toWrite), ...writes.flatMap(shortened)], durability).then(
        () => true,
        (error: unknown) => {
          if (error instanceof OutdatedError) return false;
          throw error;
        },
      ),
  };
};

export type TransitionsStore = ReturnType<typeof createTransitionsStore>;
