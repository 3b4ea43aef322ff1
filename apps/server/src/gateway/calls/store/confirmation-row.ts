import { callVia } from '@drawbridge/contracts/calls';
import {
  answerPlace,
  confirmationState,
  type AnswerPlace,
  type Confirmation,
} from '@drawbridge/contracts/confirmation';
import { affectedResource, askCause, reach } from '@drawbridge/contracts/confirmation-payload';
import { decision, type Decision } from '@drawbridge/contracts/groups';
import { sentPreview, toPreview } from '@drawbridge/contracts/preview';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { CallTable, ConfirmationTable } from '../../../db/index.ts';
import type { CallRecord } from '../call.ts';

/** What was asked, as it is kept. */
const question = z.object({
  toolGroup: z.string(),
  resource: z.string(),
  description: z.string(),
  resources: z.array(affectedResource),
  options: z.array(decision),
  /** Missing in questions that were stored before there were any. */
  title: z.string().nullable().default(null),
  /** In the older form too, in which questions were stored. */
  preview: sentPreview.transform(toPreview).nullable(),
  /** How the daemon named this question: a repeat of it is no new one. Null if it names none. */
  askId: z.string().nullable(),
  /** Missing in questions that were stored before there were any. */
  reaches: z.array(reach).default([]),
  /** Missing in questions that were stored before there were any. */
  why: z.array(askCause).default([]),
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
  /** Of a denial, in the user's words. */
  reason: string | null;
  decidedBy: string;
  /** Null if it was answered in the panel or by a program. */
  decidedVia: AnswerPlace | null;
  /** The confirmation whose answer settled this one too, or `rule`; null if it was answered itself. */
  settledBy: string | null;
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

type Row = Selectable<ConfirmationTable>;
export type RowOfCall = Row & Pick<Selectable<CallTable>, 'tool' | 'arguments' | 'via'>;

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
  decidedVia: row.decidedVia === null ? null : answerPlace.parse(JSON.parse(row.decidedVia)),
  settledBy: row.settledBy,
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

/** Undefined for one that cannot be read: what is not shown cannot be answered. */
export const readConfirmation = (row: RowOfCall): StoredConfirmation | undefined => {
  try {
    return parse(row);
  } catch {
    return undefined;
  }
};

/** The row of a new question. */
export const newConfirmationRow = (confirmation: NewConfirmation, call: CallRecord): Row => ({
  id: confirmation.id,
  requestId: call.requestId,
  userId: call.userId,
  machineId: call.machineId,
  payload: JSON.stringify(confirmation.question),
  questionDigest: confirmation.digest,
  state: 'open',
  approved: null,
  decision: null,
  reach: null,
  decidedBy: null,
  decidedVia: null,
  settledBy: null,
  createdAt: confirmation.createdAt,
  expiresAt: confirmation.expiresAt,
  decidedAt: null,
});

/** What a user sees of a question that has just been stored. */
export const toConfirmation = (confirmation: NewConfirmation, call: CallRecord): Confirmation =>
  show(newConfirmationRow(confirmation, call), confirmation.question, call);
