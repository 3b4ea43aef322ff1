import type { Mode } from '@drawbridge/contracts/groups';
import { covers } from './allow.ts';
import { findDenial, type Denials } from './deny.ts';
import { needsExactRule } from './sensitive-paths.ts';
import { effectiveModes, type Modes } from './modes.ts';
import type { Resource } from './resource.ts';
import type { Rule } from './rule.ts';

export interface Policy {
  modes: Modes;
  deny: Denials;
  allow: readonly Rule[];
  root: string;
}

/** The allow rule that covers a resource. A sensitive resource needs an exact rule. */
const findAllowing = ({ allow, root }: Policy, resource: Resource): Rule | undefined =>
  allow.find(
    (rule) => covers(rule, resource) && (rule.reach === undefined || !needsExactRule(root, resource)),
  );

/** Whether a group on deny or a denial refuses a resource, whatever else is said of it. */
export const isDenied = (policy: Policy, resource: Resource): boolean =>
  effectiveModes(policy.modes)[resource.toolGroup] === 'deny' ||
  findDenial(policy.deny, resource) !== undefined;

/** What holds for one resource: a group on deny, then a denial, then an allowance, then the group's mode. */
export const evaluate = (policy: Policy, resource: Resource): Mode => {
  if (isDenied(policy, resource)) return 'deny';
  const mode = effectiveModes(policy.modes)[resource.toolGroup];
  if (mode === 'allow' && !needsExactRule(policy.root, resource)) return 'allow';
  return findAllowing(policy, resource) === undefined ? 'ask' : 'allow';
};

/** The rules that decide about these resources: the denial, or else the covering allow rule. */
export const decidingRules = (policy: Policy, resources: readonly Resource[]): Rule[] =>
  resources.flatMap((resource) => {
    const rule = findDenial(policy.deny, resource)?.rule ?? findAllowing(policy, resource);
    return rule === undefined ? [] : [rule];
  });

/** The rules without which these resources would be asked about; none where the modes allow all. */
export const allowingRules = (policy: Policy, resources: readonly Resource[]): Rule[] => {
  const rules = resources.flatMap((resource) => {
    const isByMode = evaluate({ ...policy, allow: [] }, resource) === 'allow';
    return isByMode ? [] : (findAllowing(policy, resource) ?? []);
  });
  return [...new Set(rules)];
};

export type Evaluation =
  | { kind: 'run' }
  | { kind: 'ask'; asking: Resource[] }
  | { kind: 'denied'; resource: Resource };

/** What holds for a call: every resource is looked at, and one denial refuses it before anything is asked. */
export const evaluateAll = (policy: Policy, resources: readonly Resource[]): Evaluation => {
  const access = resources.map((resource) => ({ resource, access: evaluate(policy, resource) }));
  const denied = access.find((entry) => entry.access === 'deny');
  if (denied) return { kind: 'denied', resource: denied.resource };
  const asking = access.filter((one) => one.access === 'ask').map((one) => one.resource);
  return asking.length === 0 ? { kind: 'run' } : { kind: 'ask', asking };
};
