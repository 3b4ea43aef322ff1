import type { ShownRule } from '@drawbridge/contracts/rule-list';
import { digestOf } from '@drawbridge/kit/node';
import { ruleInFull } from '../rules/scope.ts';
import { callerWords } from '../rules/rule-caller.ts';
import type { RuleUse } from './rule-use.ts';
import { coverOf, type Rule } from '../rules/rule.ts';
import type { Session, SessionRule } from './session.ts';
import type { RuleEffect, SettingsStore } from './settings.ts';

export type HeldRule =
  | { effect: RuleEffect; rule: Rule; session: null }
  | { effect: 'allow'; rule: Rule; session: SessionRule };

export const heldRules = (settings: SettingsStore, session?: Session): HeldRule[] => {
  const { deny, allow } = settings.rules();
  return [
    ...deny.map((rule) => ({ effect: 'deny' as const, rule, session: null })),
    ...allow.map((rule) => ({ effect: 'allow' as const, rule, session: null })),
    ...(session?.rules() ?? []).map((one) => ({ effect: 'allow' as const, rule: one.rule, session: one })),
  ];
};

const idOf = ({ effect, rule, session }: HeldRule): string => {
  const { toolGroup, resource, reach, fingerprint, caller } = rule;
  const whole = [effect, session !== null, session?.endsAt, toolGroup, resource, reach, fingerprint];
  return digestOf(caller ? [...whole, caller.id] : whole);
};

const iso = (at: number | null | undefined) =>
  at === null || at === undefined ? null : new Date(at).toISOString();

/** What a rule covers, in words and as its name in the list of rules. */
export const describeRule = (rule: Rule) => ({ label: ruleInFull(rule), covers: coverOf(rule) });

export const showRule = (held: HeldRule, use: Pick<RuleUse, 'lastUsed'>): ShownRule => {
  const { effect, rule, session } = held;
  return {
    id: idOf(held),
    effect,
    toolGroup: rule.toolGroup,
    ...describeRule(rule),
    ...(rule.caller && { caller: callerWords(rule.caller) }),
    lasts: session === null ? 'always' : 'session',
    endsAt: iso(session?.endsAt),
    madeAt: rule.madeAt ?? null,
    usedAt: iso(use.lastUsed(rule)),
  };
};
