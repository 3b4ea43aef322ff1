import { toolGroups, type Mode, type ToolGroup } from '@drawbridge/contracts/groups';
import type { NewRule } from '@drawbridge/contracts/rules';
import { systemClock, visible } from '@drawbridge/kit';
import { ownCommand } from '../../program/own-command.ts';
import {
  heldRules,
  openRuleUse,
  openSettings,
  readNewRule,
  showRule,
  type HeldRule,
  type Modes,
  type RuleUse,
  type SettingsStore,
} from '../../permission/index.ts';
import { readStatuses } from '../../status/read-status.ts';
import type { DaemonStatus } from '../../status/index.ts';
import { errors } from '../common/errors.ts';
import { sourceWords } from '../common/mode-sources.ts';
import { groupLabel, modeLine } from '../common/summary.ts';
import { wildcardNote } from './wildcard-note.ts';
import { readWrittenRule } from './written-rule.ts';
import { confirm } from '../common/confirm.ts';

export interface PermissionsActions {
  list(options: { json?: boolean }): Promise<string>;
  add(rule: NewRule): Promise<string>;
  set(group: ToolGroup, mode: Mode): Promise<string>;
  /** `number` as the list shows it. */
  remove(number: string): Promise<string>;
  reset(options: { yes?: boolean }): Promise<string>;
}

export interface PermissionsNeeds {
  folder: string;
  cwd: string;
  isTerminal: boolean;
}

const minute = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

const sentence = (held: HeldRule, use: RuleUse): string => {
  const { effect, label } = showRule(held, use);
  return `${effect.padEnd(6)} ${visible(label)}`;
};

const times = (held: HeldRule, use: RuleUse): string => {
  const { madeAt, usedAt } = showRule(held, use);
  const made = madeAt === null ? [] : [`made ${minute(madeAt)}`];
  return [...made, usedAt === null ? 'not used yet' : `last used ${minute(usedAt)}`].join(', ');
};

const runningLines = (running: readonly DaemonStatus[], saved: Modes): string[] =>
  running.flatMap(({ folder, modes, sources }) => {
    const other = toolGroups.filter((group) => modes[group] !== undefined && modes[group] !== saved[group]);
    if (other.length === 0) return [];
    const lines = other.map((group) =>
      modeLine(group, modes[group] ?? 'deny', sourceWords[sources?.[group] ?? 'session']),
    );
    return ['', `Now, in ${visible(folder)}:`, ...lines];
  });

const asText = (settings: SettingsStore, use: RuleUse, running: readonly DaemonStatus[]): string => {
  const modes = settings.modes();
  const rules = heldRules(settings);
  const width = String(rules.length).length;
  return [
    ...toolGroups.map((group) => {
      const source = settings.savedModes()[group] === undefined ? 'default' : 'settings.json';
      return modeLine(group, modes[group], sourceWords[source]);
    }),
    ...runningLines(running, modes),
    '',
    ...rules.flatMap((held, at) => [
      `${String(at + 1).padStart(width)}  ${sentence(held, use)}`,
      `${' '.repeat(width + 9)}${times(held, use)}`,
    ]),
    ...(rules.length === 0 ? ['There are no permanent rules.'] : []),
  ].join('\n');
};

const asJson = (settings: SettingsStore, use: RuleUse, running: readonly DaemonStatus[]): string => {
  const rules = heldRules(settings).map((held, at) => {
    const { resource, reach = 'exact' } = held.rule;
    const { effect, toolGroup, label, madeAt, usedAt } = showRule(held, use);
    return { number: at + 1, effect, toolGroup, resource, reach, label, madeAt, usedAt };
  });
  const modes = settings.modes();
  return JSON.stringify(
    {
      modes,
      savedModes: settings.savedModes(),
      running: running.map(({ folder, modes, sources }) => ({ folder, modes, sources })),
      remoteRules: settings.remoteRules(),
      rules,
    },
    null,
    2,
  );
};

/** `drawbridge permissions`: modes and permanent rules. A running daemon reads changes at its next call. */
export const permissions = ({ folder, cwd, isTerminal }: PermissionsNeeds): PermissionsActions => {
  const open = async () => {
    const settings = await openSettings(folder, systemClock);
    return { settings, use: await openRuleUse({ clock: systemClock, folder: settings.folder }) };
  };
  return {
    list: async ({ json = false }) => {
      const { settings, use } = await open();
      const running = await readStatuses(settings.folder);
      return json ? asJson(settings, use, running) : asText(settings, use, running);
    },
    add: async (typed) => {
      const { settings, use } = await open();
      const { fingerprintOfProgram } = await import('../../tools/shell/program-file.ts');
      const rule = await readNewRule(readWrittenRule(typed, cwd), ({ folder, text }) =>
        fingerprintOfProgram(folder, text),
      );
      await settings.addRules(typed.effect, [rule]);
      const note = wildcardNote(typed);
      const added = `added    ${sentence({ effect: typed.effect, rule, session: null }, use)}`;
      return note === null ? added : `${added}\n${note}`;
    },
    set: async (group, mode) => {
      const { settings } = await open();
      if (group === 'system')
        throw errors.wrongUse({
          message: 'The mode of system can only be changed in settings.json',
          fix: `Edit ${settings.folder}/settings.json.`,
        });
      await settings.setMode(group, mode);
      return `saved    ${groupLabel(group)}: ${mode}`;
    },
    remove: async (number) => {
      const { settings, use } = await open();
      const held = /^[1-9]\d{0,5}$/.test(number) ? heldRules(settings)[Number(number) - 1] : undefined;
      if (held === undefined)
        throw errors.wrongUse({
          message: `There is no rule ${number}`,
          fix: `See ${ownCommand('permissions')}.`,
        });
      await settings.removeRule(held.effect, held.rule);
      return `removed  ${sentence(held, use)}`;
    },
    reset: async ({ yes = false }) => {
      const { settings } = await open();
      const count = heldRules(settings).length;
      if (!yes && !isTerminal)
        throw errors.wrongUse({ message: 'reset needs a terminal, or --yes', fix: 'Add --yes.' });
      if (!yes && count > 0 && !(await confirm(`Remove all ${count} permanent rules?`, false)))
        return 'Nothing was changed.';
      await settings.clearRules();
      return `removed  all ${count} permanent rules`;
    },
  };
};
