import { z } from 'zod';
import { mode, modes, toolGroup, type Mode } from './groups.ts';
import { machineId, requestId } from './ids.ts';

export const ruleEffects = ['allow', 'deny'] as const;
export const ruleEffect = z.enum(ruleEffects);

/** A new rule of the user. `reach`: the name of a wider scope than exactly the resource. */
export const newRule = z.strictObject({
  effect: ruleEffect,
  toolGroup: z.string().max(64),
  resource: z.string().min(1).max(10_000),
  reach: z.string().max(64).optional(),
});
export type NewRule = z.infer<typeof newRule>;

const ruleId = z.string().min(1).max(64);

/** `machineId`, in these inputs: an id or a name; without it, the default machine. */
export const listRulesInput = z.strictObject({ machineId: machineId.optional() }).optional();
export const ruleIdInput = z.strictObject({ ruleId, machineId: machineId.optional() });
export const newRuleInput = newRule.extend({ machineId: machineId.optional() });

/** What of a rule gives it the name by which it is known (`covers`), a digest of these in this order. */
export const coverParts = (rule: {
  toolGroup: string;
  resource: string;
  reach?: string | undefined;
  fingerprint?: string | undefined;
  callerId?: string | undefined;
}): unknown[] => [
  rule.toolGroup,
  rule.resource,
  rule.reach,
  rule.fingerprint,
  ...(rule.callerId === undefined ? [] : [rule.callerId]),
];

/** Whether mode `a` permits less than `b`. */
export const isTighter = (a: Mode, b: Mode): boolean => modes.indexOf(a) < modes.indexOf(b);

/** A tighter mode for a group; a looser one is set on the machine only. */
const tightened = z.strictObject({ toolGroup, mode: mode.exclude(['allow']) });
export const tightenInput = tightened.extend({ machineId: machineId.optional() });

/** A request to a daemon about its rules. It is not a tool call, so no model can send it. */
export const rulesQuery = z.discriminatedUnion('type', [
  z.object({ type: z.literal('list') }),
  z.object({ type: z.literal('remove'), ruleId }),
  z.object({ type: z.literal('add'), rule: newRule }),
  /** Only for daemons with the feature `tighten`. */
  z.object({ type: z.literal('tighten'), ...tightened.shape }),
]);
export type RulesQuery = z.infer<typeof rulesQuery>;

/** Only for daemons with the feature `rules`. */
export const rulesRequest = z.object({
  type: z.literal('rules-request'),
  payload: z.object({ requestId, query: rulesQuery }),
});
