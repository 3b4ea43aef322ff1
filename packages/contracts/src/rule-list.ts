import { z } from 'zod';
import { isoTime } from './ids.ts';
import { ruleEffect } from './rules.ts';

/** A rule of a machine, in words that its daemon wrote. `id` names it as long as it holds. */
export const shownRule = z.object({
  id: z.string().min(1).max(64),
  effect: ruleEffect,
  toolGroup: z.string().max(64),
  label: z.string().max(4_096),
  /** What it covers, however long and whether allowed or denied: the same as in the reach by whose choice it was made. */
  covers: z.string().max(64).optional(),
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

/** The rules for the panel. `asOf`: what the machine said last, then; only while it is away. */
const knownRules = ruleList.extend({ asOf: isoTime.optional() });
export type KnownRules = z.infer<typeof knownRules>;

const rulesRefusals = ['not-permitted', 'unknown', 'not-a-rule', 'failed'] as const;

/** `POST rules/:requestId`: the rules as they are then, or why nothing was changed. */
export const rulesBody = z.union([
  ruleList,
  z.object({ refused: z.enum(rulesRefusals), message: z.string().max(1_000) }),
]);
export type RulesBody = z.infer<typeof rulesBody>;
