import {
  affectedResource,
  callVia,
  confirmationState,
  decision,
  preview,
  reach,
  type Confirmation,
  type Decision,
} from '@drawbridge/contracts';
import type { Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import {
  prepareQuery,
  type CallTable,
  type ConfirmationTable,
  type GroupCommit,
  type Schema,
  type Slot,
} from '../db/index.ts';
import type { CallRecord } from './call-record.ts';

/** What was asked, as it is kept. */
const question = z.object({
  toolGroup: z.string(),
  resource: z.string(),
  description: z.string(),
  resources: z.array(affectedResource),
  options: z.array(decision),
  preview: preview.nullable(),
  /** How the daemon named this question: a repeat of it is no new one. Null where it names none. */
  askId: z.string().nullable(),
  /** Missing in questions that were stored before there were any. */
  reaches: z.array(reach).default([]),
});
export type Question = z.infer<typeof question>;

export interface NewConfirmation {
  id: string;
  digest: string;
  question: Question;
  createdAt: number;
  expiresAt: number;
}

export interface ConfirmationAnswerRecord {
  id: string;
  approved: boolean;
  decision: Decision | null;
  reach: string | null;
  decidedBy: string;
  at: number;
}

/** A confirmation of a user with the texts of its call. */
export interface StoredConfirmation {
  userId: string;
  digest: string;
  askId: string | null;
  createdAt: number;
  expiresAt: number;
  shown: Confirmation;
}

export interface ConfirmationsStore {
  /**
   * Keeps the question and that its call waits for it: both or none, and not synced. After a power cut that loses it the
   * call is sent again, and its daemon asks again. Gives what a user then sees of it.
   */
  ask(confirmation: NewConfirmation, call: CallRecord): Promise<Confirmation>;
  /** Takes the one answer and what it makes of the call: both or none. False when it is not open any more. */
  answer(answer: ConfirmationAnswerRecord, call: CallRecord): Promise<boolean>;
  /** Undefined also for one that cannot be read. */
  byId(id: string): Promise<StoredConfirmation | undefined>;
  /** Every question of a call, oldest first; null in the place of one that cannot be read. */
  ofCall(requestId: string): Promise<(StoredConfirmation | null)[]>;
  /** The open ones of a user, oldest first, without those that cannot be read. */
  open(userId: string): Promise<StoredConfirmation[]>;
}

type Row = Selectable<ConfirmationTable>;
type RowOfCall = Row & Pick<Selectable<CallTable>, 'tool' | 'arguments' | 'via'>;

const iso = (at: number) => new Date(at).toISOString();
const jsonObject = z.record(z.string(), z.unknown());

const show = (
  row: Row,
  { askId: _hidden, ...asked }: Question,
  call: Pick<CallRecord, 'tool' | 'arguments' | 'via'>,
): Confirmation => ({
  id: row.id,
  requestId: row.requestId,
  machineId: row.machineId,
  ...(call.via === null ? {} : { via: call.via }),
  tool: call.tool,
  arguments: call.arguments,
  ...asked,
  state: confirmationState.parse(row.state),
  approved: row.approved === null ? null : row.approved === 1,
  decision: row.decision === null ? null : decision.parse(row.decision),
  reach: row.reach,
  decidedBy: row.decidedBy,
  createdAt: iso(row.createdAt),
  expiresAt: iso(row.expiresAt),
  decidedAt: row.decidedAt === null ? null : iso(row.decidedAt),
});

const parse = (row: RowOfCall): StoredConfirmation => {
  const asked = question.parse(JSON.parse(row.payload));
  const call = {
    tool: row.tool,
    arguments: jsonObject.parse(JSON.parse(row.arguments)),
    via: row.via === null ? null : callVia.parse(JSON.parse(row.via)),
  };
  const { userId, questionDigest: digest, createdAt, expiresAt } = row;
  return { userId, digest, askId: asked.askId, createdAt, expiresAt, shown: show(row, asked, call) };
};

/** Undefined for one that cannot be read: nobody may answer what they are not shown. */
const read = (row: RowOfCall): StoredConfirmation | undefined => {
  try {
    return parse(row);
  } catch {
    return undefined;
  }
};

const newRow = (given: NewConfirmation, call: CallRecord): Row => ({
  id: given.id,
  requestId: call.requestId,
  userId: call.userId,
  machineId: call.machineId,
  payload: JSON.stringify(given.question),
  questionDigest: given.digest,
  state: 'open',
  approved: null,
  decision: null,
  reach: null,
  decidedBy: null,
  createdAt: given.createdAt,
  expiresAt: given.expiresAt,
  decidedAt: null,
});

/** Reads from `db`; `commit` is the one that calls are written through. */
export const createConfirmationsStore = (db: Kysely<Schema>, commit: GroupCommit): ConfirmationsStore => {
  const confirmations = db
    .selectFrom('confirmations')
    .innerJoin('calls', 'calls.requestId', 'confirmations.requestId')
    .selectAll('confirmations')
    .select(['calls.tool', 'calls.arguments', 'calls.via']);
  const insertRow = prepareQuery((slot: Slot<Row>) =>
    db.insertInto('confirmations').values({
      id: slot('id'),
      requestId: slot('requestId'),
      userId: slot('userId'),
      machineId: slot('machineId'),
      payload: slot('payload'),
      questionDigest: slot('questionDigest'),
      state: slot('state'),
      approved: slot('approved'),
      decision: slot('decision'),
      reach: slot('reach'),
      decidedBy: slot('decidedBy'),
      createdAt: slot('createdAt'),
      expiresAt: slot('expiresAt'),
      decidedAt: slot('decidedAt'),
    }),
  );
  const waitFor = prepareQuery(
    (slot: Slot<Pick<CallRecord, 'requestId' | 'state' | 'endsAt' | 'confirmationId'>>) =>
      db
        .updateTable('calls')
        .set({
          state: slot('state'),
          endsAt: slot('endsAt'),
          confirmationId: slot('confirmationId'),
          decision: null,
          decidedBy: null,
        })
        .where('requestId', '=', slot('requestId'))
        .where('endedAt', 'is', null),
  );

  return {
    ask: async (given, call) => {
      const row = newRow(given, call);
      const { requestId, state, endsAt } = call;
      const wait = waitFor({ requestId, state, endsAt, confirmationId: row.id });
      await commit([insertRow(row), wait], 'kept');
      return show(row, given.question, call);
    },
    answer: (answer, call) =>
      db.transaction().execute(async (trx) => {
        const won = await trx
          .updateTable('confirmations')
          .set({
            state: 'decided',
            approved: Number(answer.approved),
            decision: answer.decision,
            reach: answer.reach,
            decidedBy: answer.decidedBy,
            decidedAt: answer.at,
          })
          .where('id', '=', answer.id)
          .where('state', '=', 'open')
          .where('expiresAt', '>', answer.at)
          .executeTakeFirst();
        if (won.numUpdatedRows !== 1n) return false;
        await trx
          .updateTable('calls')
          .set({
            state: call.state,
            decision: call.decision,
            decidedBy: call.decidedBy,
            confirmationId: null,
            endsAt: call.endsAt,
            endedAt: call.endedAt,
            error: call.error === null ? null : JSON.stringify(call.error),
            started: call.started === null ? null : Number(call.started),
          })
          .where('requestId', '=', call.requestId)
          .where('endedAt', 'is', null)
          .execute();
        return true;
      }),
    byId: async (id) => {
      const row = await confirmations.where('confirmations.id', '=', id).executeTakeFirst();
      return row && read(row);
    },
    ofCall: async (requestId) => {
      const rows = await confirmations
        .where('confirmations.requestId', '=', requestId)
        .orderBy('confirmations.createdAt')
        .execute();
      return rows.map((row) => read(row) ?? null);
    },
    open: async (userId) => {
      const rows = await confirmations
        .where('confirmations.userId', '=', userId)
        .where('confirmations.state', '=', 'open')
        .orderBy('confirmations.createdAt')
        .execute();
      return rows.flatMap((row) => read(row) ?? []);
    },
  };
};
