import { z } from 'zod';
import { callVia } from './calls.ts';
import { confirmationId, isoTime, machineId, requestId } from './ids.ts';
import { decision } from './groups.ts';

/** One thing that a call would touch, in words that a rule can match and a person can read. */
export const affectedResource = z.object({
  toolGroup: z.string().max(64),
  resource: z.string().max(200_000),
  description: z.string().max(200_000),
});
export type AffectedResource = z.infer<typeof affectedResource>;

/** What a write would change: a unified diff, cut at the cap and then marked. */
export const preview = z.object({
  kind: z.literal('diff'),
  path: z.string().max(4_096),
  text: z.string().max(200_000),
  truncated: z.boolean(),
});
export type Preview = z.infer<typeof preview>;

/**
 * How far a lasting decision may go, in words that the daemon wrote: whatever else it means is the daemon's affair.
 * `decisions`: those that it may go with. Reaches of one `scope` cover the same; one with `durationMs` ends by itself.
 */
export const reach = z.object({
  id: z.string().min(1).max(64),
  scope: z.string().min(1).max(64),
  label: z.string().max(10_000),
  decisions: z.array(z.string().max(64)).max(20),
  durationMs: z.number().int().positive().optional(),
});
export type Reach = z.infer<typeof reach>;

/**
 * What a daemon asks. `toolGroup`, `resource`, `description` and `options` are the specification's (6.2);
 * `resources` lists all that need asking, `preview` shows a write, `askId` tells one question from a repeat of it,
 * `reaches` is what can be chosen beside a decision; without one a decision covers exactly what is listed.
 */
export const confirmationPayload = affectedResource.extend({
  options: z.array(z.string().max(64)).max(20),
  resources: z.array(affectedResource).max(100).optional(),
  preview: preview.optional(),
  askId: z.string().max(64).optional(),
  reaches: z.array(reach).max(20).optional(),
});
export type ConfirmationPayload = z.infer<typeof confirmationPayload>;

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
