import { z } from 'zod';
import { isoTime, requestId } from './ids.ts';

export const ruleEffects = ['allow', 'deny'] as const;
const ruleEffect = z.enum(ruleEffects);

/** A rule of a machine, in words that its daemon wrote. `id` names it as long as it holds. */
export const shownRule = z.object({
  id: z.string().min(1).max(64),
  effect: ruleEffect,
  toolGroup: z.string().max(64),
  label: z.string().max(4_096),
  lasts: z.enum(['always', 'session']),
  /** For what ends before the session does. */
  endsAt: isoTime.nullable(),
  madeAt: isoTime.nullable(),
  usedAt: isoTime.nullable(),
});
export type ShownRule = z.infer<typeof shownRule>;

/** The rules of a machine: at most 300 of `total`. `remoteRules`: whether its settings let the panel widen them. */
export const ruleList = z.object({
  rules: z.array(shownRule).max(300),
  total: z.number().int().nonnegative(),
  remoteRules: z.boolean(),
});
export type RuleList = z.infer<typeof ruleList>;

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

const rulesRefusals = ['not-permitted', 'unknown', 'not-a-rule', 'failed'] as const;

/** `POST rules/:requestId`: the rules as they are then, or why nothing was changed. */
export const rulesBody = z.union([
  ruleList,
  z.object({ refused: z.enum(rulesRefusals), message: z.string().max(1_000) }),
]);
export type RulesBody = z.infer<typeof rulesBody>;

/** Only for daemons with the feature `rules`. */
export const rulesRequest = z.object({
  type: z.literal('rules-request'),
  payload: z.object({ requestId, query: rulesQuery }),
});
