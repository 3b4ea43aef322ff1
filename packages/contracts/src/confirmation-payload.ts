import { z } from 'zod';
import { sentPreview } from './preview.ts';

/** One resource of a call, as rules match it and users read it. */
export const affectedResource = z.object({
  toolGroup: z.string().max(64),
  resource: z.string().max(200_000),
  description: z.string().max(200_000),
});
export type AffectedResource = z.infer<typeof affectedResource>;

/**
 * The scope of a lasting decision, defined and described by the daemon. `covers` identifies its rules in the
 * list of rules. Reaches of one `scope` cover the same; one with `durationMs` expires. `caller`: who alone it
 * is for, in words; absent: every caller.
 */
export const reach = z.object({
  id: z.string().min(1).max(64),
  scope: z.string().min(1).max(64),
  label: z.string().max(10_000),
  decisions: z.array(z.string().max(64)).max(20),
  durationMs: z.number().int().positive().optional(),
  covers: z.array(z.string().max(64)).max(100).optional(),
  caller: z.string().max(1_000).optional(),
});
export type Reach = z.infer<typeof reach>;

/** Why the daemon asks: `mode`, the group is set to ask; `careful`, it asks about this in every mode. */
export const askCause = z.object({ toolGroup: z.string().max(64), cause: z.string().max(64) });
export type AskCause = z.infer<typeof askCause>;

/**
 * A daemon's question (specification 6.2, with optional additions). `askId` tells a new question from a
 * repeat. Without a reach, a decision covers exactly the listed resources.
 */
export const confirmationPayload = affectedResource.extend({
  options: z.array(z.string().max(64)).max(20),
  title: z.string().min(1).max(1_000).optional(),
  resources: z.array(affectedResource).max(100).optional(),
  preview: sentPreview.optional(),
  askId: z.string().max(64).optional(),
  reaches: z.array(reach).max(20).optional(),
  why: z.array(askCause).max(20).optional(),
});
export type ConfirmationPayload = z.infer<typeof confirmationPayload>;
