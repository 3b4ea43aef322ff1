import { z } from 'zod';
import { callVia } from './calls.ts';
import { confirmationId, isoTime, machineId, requestId } from './ids.ts';
import { affectedResource, reach } from './confirmation-payload.ts';
import { preview } from './preview.ts';
import { decision } from './groups.ts';

export const confirmationStates = ['open', 'decided', 'withdrawn', 'expired'] as const;
export const confirmationState = z.enum(confirmationStates);
export type ConfirmationState = z.infer<typeof confirmationState>;

/** A confirmation as a user sees it. `decision` is null for a denial without a decision and while it is open. */
export const confirmation = z.object({
  id: confirmationId,
  requestId,
  machineId,
  /** What the call came through; left out where the person made it in the panel. */
  via: callVia.optional(),
  tool: z.string(),
  /** The question in one line, as the machine asks it; null where it gives none. */
  title: z.string().nullable(),
  arguments: z.record(z.string(), z.unknown()),
  toolGroup: z.string(),
  resource: z.string(),
  description: z.string(),
  resources: z.array(affectedResource),
  options: z.array(decision),
  preview: preview.nullable(),
  reaches: z.array(reach),
  state: confirmationState,
  approved: z.boolean().nullable(),
  decision: decision.nullable(),
  /** The id of the chosen reach; null where none was chosen. */
  reach: z.string().nullable(),
  decidedBy: z.string().nullable(),
  /** The confirmation whose lasting answer settled this one too, `rule` for a rule that was made otherwise; null where it was answered itself. */
  settledBy: z.union([z.literal('rule'), confirmationId]).nullable(),
  createdAt: isoTime,
  expiresAt: isoTime,
  decidedAt: isoTime.nullable(),
});
export type Confirmation = z.infer<typeof confirmation>;

/** The user's answer. Denied without `resourceDecision`: the daemon is not called again. `reach` is the id of one that was offered with it. */
export const confirmationAnswer = z.strictObject({
  approved: z.boolean(),
  resourceDecision: decision.optional(),
  reach: z.string().max(64).optional(),
});
export type ConfirmationAnswer = z.infer<typeof confirmationAnswer>;

export const confirmationIdInput = z.strictObject({ confirmationId });

export const decideInput = confirmationAnswer.extend({ confirmationId });
export type DecideInput = z.infer<typeof decideInput>;

/** The answer that won. */
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
