import type { Mode } from '@drawbridge/contracts';
import { effectiveModes, type Modes } from './modes.ts';
import type { Resource } from './resource.ts';
import { isAllowed, isDenied, type Denial, type Rule } from './rules.ts';

/** All that the person has settled, at one moment. */
export interface Policy {
  modes: Modes;
  /** Permanent denials. */
  deny: readonly Denial[];
  /** Permanent and session allowances. */
  allow: readonly Rule[];
}

/** What holds for one resource: a group on deny, then a denial, then an allowance, then the group's mode. */
export const evaluate = (policy: Policy, resource: Resource): Mode => {
  const mode = effectiveModes(policy.modes)[resource.toolGroup];
  if (mode === 'deny' || isDenied(policy.deny, resource)) return 'deny';
  const byMode = mode === 'allow' && !resource.explicit;
  return byMode || isAllowed(policy.allow, resource) ? 'allow' : 'ask';
};

export type Evaluation =
  | { kind: 'run' }
  | { kind: 'ask'; asking: Resource[] }
  | { kind: 'denied'; resource: Resource };

/** What holds for a call: every resource is looked at, and one denial refuses it before anything is asked. */
export const evaluateAll = (policy: Policy, resources: readonly Resource[]): Evaluation => {
  const access = resources.map((resource) => ({ resource, access: evaluate(policy, resource) }));
  const denied = access.find((one) => one.access === 'deny');
  if (denied) return { kind: 'denied', resource: denied.resource };
  const asking = access.filter((one) => one.access === 'ask').map((one) => one.resource);
  return asking.length === 0 ? { kind: 'run' } : { kind: 'ask', asking };
};
