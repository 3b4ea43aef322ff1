import { z } from 'zod';
import { callVia } from './calls.ts';
import { confirmationId, isoTime, machineId, requestId } from './ids.ts';
import { affectedResource, askCause, reach } from './confirmation-payload.ts';
import { preview } from './preview.ts';
import { decision } from './groups.ts';
import { channelKind } from './outside/channel-platforms.ts';

export const confirmationStates = ['open', 'decided', 'withdrawn', 'expired'] as const;
export const confirmationState = z.enum(confirmationStates);

/** The chat in which a question was answered, and who answered it there. */
const chatOfAnswer = z.object({ channel: channelKind, senderId: z.string() });

/** Where a question was answered, other than in the panel or by a program. */
export const answerPlace = z.union([chatOfAnswer, z.object({ notification: z.literal('webPush') })]);
export type AnswerPlace = z.infer<typeof answerPlace>;

/** A confirmation. `decision` is null while it is open and for a denial without a decision. */
export const confirmation = z.object({
  id: confirmationId,
  requestId,
  machineId,
  /** Absent for a call from the panel. */
  via: callVia.optional(),
  tool: z.string(),
  /** The machine's question in one line; null without one. */
  title: z.string().nullable(),
  arguments: z.record(z.string(), z.unknown()),
  toolGroup: z.string(),
  resource: z.string(),
  description: z.string(),
  resources: z.array(affectedResource),
  options: z.array(decision),
  preview: preview.nullable(),
  reaches: z.array(reach),
  /** Empty for a machine that does not say. */
  why: z.array(askCause),
  state: confirmationState,
  approved: z.boolean().nullable(),
  decision: decision.nullable(),
  /** The id of the selected reach; null without one. */
  reach: z.string().nullable(),
  decidedBy: z.string().nullable(),
  /** Null if it was answered in the panel or by a program. */
  decidedVia: answerPlace.nullable(),
  /** The confirmation whose answer settled this one, `rule` for another rule; null if answered itself. */
  settledBy: z.union([z.literal('rule'), confirmationId]).nullable(),
  createdAt: isoTime,
  expiresAt: isoTime,
  decidedAt: isoTime.nullable(),
});
export type Confirmation = z.infer<typeof confirmation>;

/** Of a reason, in characters. */
export const maxReasonLength = 500;

/**
 * The user's answer. After a denial without `resourceDecision` the daemon is not called again. `reason` goes
 * with a denial, and to the caller.
 */
export const confirmationAnswer = z.strictObject({
  approved: z.boolean(),
  resourceDecision: decision.optional(),
  reach: z.string().max(64).optional(),
  reason: z.string().trim().min(1).max(maxReasonLength).optional(),
});
export type ConfirmationAnswer = z.infer<typeof confirmationAnswer>;

export const confirmationIdInput = z.strictObject({ confirmationId });

/** So many known questions a reader names. */
export const maxKnownQuestions = 100;

/** What a reader that comes back has: the ids of questions that it knows as open. */
export const confirmationChangesInput = z.strictObject({
  known: z.array(confirmationId).max(maxKnownQuestions),
});

export const decideInput = confirmationAnswer.extend({ confirmationId });
export type DecideInput = z.infer<typeof decideInput>;

/** The answer that was recorded first. */
export const decideReply = z.object({
  confirmationId,
  state: confirmationState,
  approved: z.boolean(),
  decision: decision.nullable(),
});
export type DecideReply = z.infer<typeof decideReply>;

/** Live: a confirmation was asked, decided, withdrawn or expired. */
export const confirmationEvent = z.object({ type: z.literal('confirmation'), confirmation });
export type ConfirmationEvent = z.infer<typeof confirmationEvent>;
