import { z } from 'zod';
import { requestId } from './ids.ts';

export const ruleEffects = ['allow', 'deny'] as const;
export const ruleEffect = z.enum(ruleEffects);

/** A rule as a person writes it. `reach`: what it covers beside exactly the resource, as the daemon names it. */
export const newRule = z.strictObject({
  effect: ruleEffect,
  toolGroup: z.string().max(64),
  resource: z.string().min(1).max(10_000),
  reach: z.string().max(64).optional(),
});
export type NewRule = z.infer<typeof newRule>;

export const ruleIdInput = z.strictObject({ ruleId: z.string().min(1).max(64) });

/** What is asked of a daemon about its rules; no tool call, so nothing that a model could do. */
export const rulesQuery = z.discriminatedUnion('type', [
  z.object({ type: z.literal('list') }),
  z.object({ type: z.literal('remove'), ruleId: ruleIdInput.shape.ruleId }),
  z.object({ type: z.literal('add'), rule: newRule }),
]);
export type RulesQuery = z.infer<typeof rulesQuery>;

/** Only for daemons with the feature `rules`. */
export const rulesRequest = z.object({
  type: z.literal('rules-request'),
  payload: z.object({ requestId, query: rulesQuery }),
});
