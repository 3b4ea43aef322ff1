import {
  affectedResource,
  confirmationState,
  decision,
  preview,
  reach,
  type Confirmation,
  type Decision,
} from '@drawbridge/contracts';
import type { Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import type { ConfirmationTable, Schema } from '../db/index.ts';
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
  /** Keeps the question and that its call waits for it: both or none. */
  ask(confirmation: NewConfirmation, call: CallRecord): Promise<void>;
  /** Takes the one answer and what it makes of the call: both or none. False when it is not open any more. */
  answer(answer: ConfirmationAnswerRecord, call: CallRecord): Promise<boolean>;
  byId(id: string): Promise<StoredConfirmation | undefined>;
  /** Every question of a call, oldest first. */
  ofCall(requestId: string): Promise<StoredConfirmation[]>;
  /** The open ones of a user, oldest first. */
  open(userId: string): Promise<StoredConfirmation[]>;
}

type Row = Selectable<ConfirmationTable> & { tool: string; arguments: string };

const iso = (at: number) => new Date(at).toISOString();
const jsonObject = z.record(z.string(), z.unknown());

const read = (row: Row): StoredConfirmation => {
  const { askId, ...asked } = question.parse(JSON.parse(row.payload));
  const shown: Confirmation = {
    id: row.id,
    requestId: row.requestId,
    machineId: row.machineId,
    tool: row.tool,
    arguments: jsonObject.parse(JSON.parse(row.arguments)),
    ...asked,
    state: confirmationState.parse(row.state),
    approved: row.approved === null ? null : row.approved === 1,
    decision: row.decision === null ? null : decision.parse(row.decision),
    reach: row.reach,
    decidedBy: row.decidedBy,
    createdAt: iso(row.createdAt),
    expiresAt: iso(row.expiresAt),
    decidedAt: row.decidedAt === null ? null : iso(row.decidedAt),
  };
  const { userId, questionDigest: digest, createdAt, expiresAt } = row;
  return { userId, digest, askId, createdAt, expiresAt, shown };
};

export const createConfirmationsStore = (db: Kysely<Schema>): ConfirmationsStore => {
  const confirmations = db
    .selectFrom('confirmations')
    .innerJoin('calls', 'calls.requestId', 'confirmations.requestId')
    .selectAll('confirmations')
    .select(['calls.tool', 'calls.arguments']);

  return {
    ask: (
      { id, digest, question: asked, createdAt, expiresAt },
      { requestId, userId, machineId, state, endsAt },
    ) =>
      db.transaction().execute(async (trx) => {
        await trx
          .insertInto('confirmations')
          .values({
            id,
            requestId,
            userId,
            machineId,
            payload: JSON.stringify(asked),
            questionDigest: digest,
            state: 'open',
            approved: null,
            decision: null,
            reach: null,
            decidedBy: null,
            createdAt,
            expiresAt,
            decidedAt: null,
          })
          .execute();
        await trx
          .updateTable('calls')
          .set({ state, endsAt, confirmationId: id, decision: null, decidedBy: null })
          .where('requestId', '=', requestId)
          .where('endedAt', 'is', null)
          .execute();
      }),
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
      return rows.map(read);
    },
    open: async (userId) => {
      const rows = await confirmations
        .where('confirmations.userId', '=', userId)
        .where('confirmations.state', '=', 'open')
        .orderBy('confirmations.createdAt')
        .execute();
      return rows.map(read);
    },
  };
};
