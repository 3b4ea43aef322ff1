import type { RequestCaller } from '@drawbridge/contracts/daemon-event';
import type { Mode, ToolGroup } from '@drawbridge/contracts/groups';
import { canonical } from '@drawbridge/kit';
import { errors } from '../errors.ts';
import { deniedPaths, prepareDenials } from '../rules/deny.ts';
import { evaluate, evaluateAll, isDenied, decidingRules, type Policy } from '../rules/evaluate.ts';
import { effectiveModes, type Modes } from '../rules/modes.ts';
import type { Resource } from '../rules/resource.ts';
import { allowsOf, denialsOf, namedCallers, ruleCallerOf } from '../rules/rule-caller.ts';
import type { RuleUse } from '../settings/rule-use.ts';
import type { Session } from '../settings/session.ts';
import type { SettingsStore } from '../settings/settings.ts';

export interface Reading {
  mode(path: string): Mode;
  /** Whether the mode is `deny`; cheaper than `mode`. */
  isDenied(path: string): boolean;
}

export interface PolicyNeeds {
  settings: SettingsStore;
  session: Session;
  use: Pick<RuleUse, 'note'>;
  root: string;
}

export const createCurrentPolicy = ({ settings, session, use, root }: PolicyNeeds) => {
  const refresh = () =>
    settings.refresh().catch((cause: unknown) => {
      throw errors.settingsUnusable({ cause });
    });
  const modes = (): Modes => ({ ...settings.modes(), ...session.modes(), system: settings.modes().system });
  let last: { made: readonly unknown[]; named: Set<string>; policies: Map<string, Policy> } | undefined;

  /** For a caller, the same object for as long as it would say the same. */
  const current = (madeBy?: RequestCaller): Policy => {
    const rules = settings.rules();
    const sessionRules = session.rules();
    const paths = prepareDenials(rules.deny).each.flatMap((denial) => denial.paths);
    const made = [rules, sessionRules, canonical(modes()), paths.join('\0')];
    const allow = () => [...rules.allow, ...sessionRules.map(({ rule }) => rule)];
    if (last === undefined || made.some((part, at) => part !== last?.made[at]))
      last = { made, named: namedCallers([...rules.deny, ...allow()]), policies: new Map() };
    const { named, policies } = last;
    const caller = ruleCallerOf(madeBy);
    // The callers that no rule names share one policy.
    const isOther = named.size === 0 || (caller !== undefined && !named.has(caller.id));
    const key = isOther ? 'other' : (caller?.id ?? 'unknown');
    const known = policies.get(key);
    if (known !== undefined) return known;
    const deny = prepareDenials(denialsOf(rules.deny, caller));
    const policy = { modes: modes(), deny, allow: allowsOf(allow(), caller), root };
    policies.set(key, policy);
    return policy;
  };

  return {
    /** Reads the settings again where they have changed. Throws `settingsUnusable`. */
    refresh,
    /** By the settings that were read last. */
    current,
    modes,
    isOff: (group: ToolGroup) => effectiveModes(modes())[group] === 'deny',
    /** Evaluates by the settings of this moment, and notes the rules that decided. */
    evaluate: async (resources: Resource[], caller: RequestCaller | undefined) => {
      await refresh();
      const policy = current(caller);
      const evaluation = evaluateAll(policy, resources);
      if (evaluation.kind !== 'ask') use.note(decidingRules(policy, resources));
      return evaluation;
    },
    reader: async (caller?: RequestCaller): Promise<Reading> => {
      await refresh();
      let policy: Policy | undefined;
      const resource = (path: string): Resource => ({
        toolGroup: 'filesystemRead',
        resource: path,
        description: path,
      });
      return {
        mode: (path) => evaluate((policy ??= current(caller)), resource(path)),
        isDenied: (path) => isDenied((policy ??= current(caller)), resource(path)),
      };
    },
    access: async (resource: Resource, caller?: RequestCaller) => {
      await refresh();
      return evaluate(current(caller), resource);
    },
    deniedPaths: (caller?: RequestCaller) =>
      deniedPaths(denialsOf(settings.rules().deny, ruleCallerOf(caller))),
  };
};

export type CurrentPolicy = ReturnType<typeof createCurrentPolicy>;
