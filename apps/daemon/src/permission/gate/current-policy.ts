import type { Mode, ToolGroup } from '@drawbridge/contracts/groups';
import { canonical } from '@drawbridge/kit';
import { errors } from '../errors.ts';
import { deniedPaths, prepareDenials } from '../rules/deny.ts';
import { evaluate, evaluateAll, isDenied, decidingRules, type Policy } from '../rules/evaluate.ts';
import { effectiveModes, type Modes } from '../rules/modes.ts';
import type { Resource } from '../rules/resource.ts';
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
  let last: { policy: Policy; made: readonly unknown[] } | undefined;

  /** The same object for as long as it would say the same. */
  const current = (): Policy => {
    const rules = settings.rules();
    const sessionRules = session.rules();
    const deny = prepareDenials(rules.deny);
    const paths = deny.each.flatMap((denial) => denial.paths).join('\0');
    const made = [rules, sessionRules, canonical(modes()), paths];
    if (last === undefined || made.some((part, at) => part !== last?.made[at])) {
      const allow = [...rules.allow, ...sessionRules.map(({ rule }) => rule)];
      last = { policy: { modes: modes(), deny, allow, root }, made };
    }
    return last.policy;
  };

  return {
    /** Reads the settings again where they have changed. Throws `settingsUnusable`. */
    refresh,
    /** By the settings that were read last. */
    current,
    modes,
    isOff: (group: ToolGroup) => effectiveModes(modes())[group] === 'deny',
    /** Evaluates by the settings of this moment, and notes the rules that decided. */
    evaluate: async (resources: Resource[]) => {
      await refresh();
      const policy = current();
      const evaluation = evaluateAll(policy, resources);
      if (evaluation.kind !== 'ask') use.note(decidingRules(policy, resources));
      return evaluation;
    },
    reader: async (): Promise<Reading> => {
      await refresh();
      let policy: Policy | undefined;
      const resource = (path: string): Resource => ({
        toolGroup: 'filesystemRead',
        resource: path,
        description: path,
      });
      return {
        mode: (path) => evaluate((policy ??= current()), resource(path)),
        isDenied: (path) => isDenied((policy ??= current()), resource(path)),
      };
    },
    access: async (resource: Resource) => {
      await refresh();
      return evaluate(current(), resource);
    },
    deniedPaths: () => deniedPaths(settings.rules().deny),
  };
};

export type CurrentPolicy = ReturnType<typeof createCurrentPolicy>;
