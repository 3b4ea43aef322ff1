import { z } from 'zod';
import { sentPreview } from './preview.ts';

/** One thing that a call would touch, in words that a rule can match and a person can read. */
export const affectedResource = z.object({
  toolGroup: z.string().max(64),
  resource: z.string().max(200_000),
  description: z.string().max(200_000),
});
export type AffectedResource = z.infer<typeof affectedResource>;

/**
 * How far a lasting decision may go, in words that the daemon wrote: whatever else it means is the daemon's affair.
 * `decisions`: those that it may go with. `covers`: by what the rules that it makes are known in the list of rules. Reaches of one `scope` cover the same; one with `durationMs` ends by itself.
 */
export const reach = z.object({
  id: z.string().min(1).max(64),
  scope: z.string().min(1).max(64),
  label: z.string().max(10_000),
  decisions: z.array(z.string().max(64)).max(20),
  durationMs: z.number().int().positive().optional(),
  covers: z.array(z.string().max(64)).max(100).optional(),
});
export type Reach = z.infer<typeof reach>;

/**
 * What a daemon asks. `toolGroup`, `resource`, `description` and `options` are the specification's (6.2);
 * `title` is the question in one line, `resources` lists all that need asking, `preview` shows a write, `askId` tells one question from a repeat of it,
 * `reaches` is what can be chosen beside a decision; without one a decision covers exactly what is listed.
 */
export const confirmationPayload = affectedResource.extend({
  options: z.array(z.string().max(64)).max(20),
  title: z.string().min(1).max(1_000).optional(),
  resources: z.array(affectedResource).max(100).optional(),
  preview: sentPreview.optional(),
  askId: z.string().max(64).optional(),
  reaches: z.array(reach).max(20).optional(),
});
export type ConfirmationPayload = z.infer<typeof confirmationPayload>;
