import { toolGroups, type NewRule } from '@drawbridge/contracts';
import { systemClock } from '@drawbridge/kit';
import {
  heldRules,
  openRuleUse,
  openSettings,
  readNewRule,
  showRule,
  type HeldRule,
  type RuleUse,
  type SettingsStore,
} from '../permission/index.ts';
import { errors } from './errors.ts';
import { groupLabel } from './summary.ts';
import { readWrittenRule } from './written-rule.ts';

/** What `drawbridge permissions` does; each gives what goes to stdout. */
export interface PermissionsActions {
  list(options: { json?: boolean }): Promise<string>;
  add(rule: NewRule): Promise<string>;
  /** `number` as the list shows it. */
  remove(number: string): Promise<string>;
  /** Takes every permanent rule back, after a yes. */
  reset(options: { yes?: boolean }): Promise<string>;
}

export interface PermissionsNeeds {
  folder: string;
  cwd: string;
  /** Whether a person can be asked here. */
  isTerminal: boolean;
}

const minute = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

const sentence = (held: HeldRule, use: RuleUse): string => {
  const { effect, label } = showRule(held, use);
  return `${effect.padEnd(6)} ${label}`;
};

const times = (held: HeldRule, use: RuleUse): string => {
  const { madeAt, usedAt } = showRule(held, use);
  const made = madeAt === null ? [] : [`made ${minute(madeAt)}`];
  return [...made, usedAt === null ? 'not used yet' : `last used ${minute(usedAt)}`].join(', ');
};

const asText = (settings: SettingsStore, use: RuleUse): string => {
  const modes = settings.modes();
  const rules = heldRules(settings);
  const width = String(rules.length).length;
  return [
    ...toolGroups.map((group) => `${groupLabel(group).padEnd(18)}${modes[group]}`),
    '',
    ...rules.flatMap((held, at) => [
      `${String(at + 1).padStart(width)}  ${sentence(held, use)}`,
      `${' '.repeat(width + 9)}${times(held, use)}`,
    ]),
    ...(rules.length === 0 ? ['There are no permanent rules.'] : []),
  ].join('\n');
};

const asJson = (settings: SettingsStore, use: RuleUse): string => {
  const rules = heldRules(settings).map((held, at) => {
    const { resource, reach = 'exact' } = held.rule;
    const { effect, toolGroup, label, madeAt, usedAt } = showRule(held, use);
    return { number: at + 1, effect, toolGroup, resource, reach, label, madeAt, usedAt };
  });
  return JSON.stringify({ modes: settings.modes(), remoteRules: settings.remoteRules(), rules }, null, 2);
};

const saidYes = async (count: number): Promise<boolean> => {
  const { confirm, isCancel } = await import('@clack/prompts');
  const message = `Take back all ${count} permanent rules?`;
  const answer = await confirm({ output: process.stderr, message, initialValue: false });
  return !isCancel(answer) && answer;
};

/** `drawbridge permissions`: the modes and permanent rules of this machine. A daemon that runs follows the file at its next call. */
export const permissions = ({ folder, cwd, isTerminal }: PermissionsNeeds): PermissionsActions => {
  const open = async () => {
    const settings = await openSettings(folder, systemClock);
    return { settings, use: await openRuleUse({ clock: systemClock, folder: settings.folder }) };
  };
  return {
    list: async ({ json = false }) => {
      const { settings, use } = await open();
      return json ? asJson(settings, use) : asText(settings, use);
    },
    add: async (typed) => {
      const { settings, use } = await open();
      const rule = await readNewRule(readWrittenRule(typed, cwd));
      await settings.addRules(typed.effect, [rule]);
      return `added    ${sentence({ effect: typed.effect, rule, session: null }, use)}`;
    },
    remove: async (number) => {
      const { settings, use } = await open();
      const held = /^[1-9]\d{0,5}$/.test(number) ? heldRules(settings)[Number(number) - 1] : undefined;
      if (held === undefined)
        throw errors.wrongUse({ message: `There is no rule ${number}`, fix: 'See drawbridge permissions.' });
      await settings.removeRule(held.effect, held.rule);
      return `removed  ${sentence(held, use)}`;
    },
    reset: async ({ yes = false }) => {
      const { settings } = await open();
      const count = heldRules(settings).length;
      if (!yes && !isTerminal)
        throw errors.wrongUse({ message: 'reset needs a terminal, or --yes', fix: 'Add --yes.' });
      if (!yes && count > 0 && !(await saidYes(count))) return 'Nothing was changed.';
      await settings.clearRules();
      return `removed  all ${count} permanent rules`;
    },
  };
};
