import { z } from 'zod';
import { isoTime } from './ids.ts';
import { ruleEffect } from './rules.ts';

/** A rule of a machine, described by its daemon. `id` identifies it while it exists. */
export const shownRule = z.object({
  id: z.string().min(1).max(64),
  effect: ruleEffect,
  toolGroup: z.string().max(64),
  label: z.string().max(4_096),
  /** Identifies what the rule covers; equals `covers` of the reach that created it. */
  covers: z.string().max(64).optional(),
  /** Who alone it is for, in words; absent: every caller. */
  caller: z.string().max(1_000).optional(),
  lasts: z.enum(['always', 'session']),
  /** For a rule that ends before the session. */
  endsAt: isoTime.nullable(),
  madeAt: isoTime.nullable(),
  usedAt: isoTime.nullable(),
});
export type ShownRule = z.infer<typeof shownRule>;

/** At most 300 of `total` rules. `remoteRules`: whether the panel may extend permissions. */
export const ruleList = z.object({
  rules: z.array(shownRule).max(300),
  total: z.number().int().nonnegative(),
  remoteRules: z.boolean(),
});
export type RuleList = z.infer<typeof ruleList>;

/** The rules for the panel. `asOf`: the time of the last report, only while the machine is offline. */
const knownRules = ruleList.extend({ asOf: isoTime.optional() });
export type KnownRules = z.infer<typeof knownRules>;

const rulesRefusals = ['not-permitted', 'unknown', 'not-a-rule', 'failed'] as const;

/** `POST rules/:requestId`: the resulting rules, or why nothing was changed. */
export const rulesBody = z.union([
  ruleList,
  z.object({ refused: z.enum(rulesRefusals), message: z.string().max(1_000) }),
]);
export type RulesBody = z.infer<typeof rulesBody>;
