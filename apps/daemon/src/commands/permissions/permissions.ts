import { toolGroups } from '@drawbridge/contracts/groups';
import type { NewRule } from '@drawbridge/contracts/rules';
import { systemClock, visible } from '@drawbridge/kit';
import { ownCommand } from '../../program/own-command.ts';
import {
  heldRules,
  openRuleUse,
  openSettings,
  plainCommand,
  readNewRule,
  showRule,
  type HeldRule,
  type Modes,
  type RuleUse,
  type SettingsStore,
} from '../../permission/index.ts';
import { readStatuses } from '../../status/read-status.ts';
import type { DaemonStatus } from '../../status/index.ts';
import { confirm, inWords, mustBeAskable, type Answer, type CommandContext } from '../common/command.ts';
import { errors } from '../common/errors.ts';
import { sourceWords } from '../common/mode-sources.ts';
import { modeLine } from '../common/summary.ts';
import { readWrittenRule } from './written-rule.ts';

/** Lines for a person who typed a wildcard into an allowed command; none for other rules. */
const wildcardNote = ({ effect, toolGroup, resource, reach = 'exact' }: NewRule): string[] => {
  if (effect !== 'allow' || toolGroup !== 'shell' || reach !== 'exact') return [];
  const wildcard = /[*?]/.exec(resource)?.[0];
  if (wildcard === undefined) return [];
  const before = resource.slice(0, resource.search(/\s*\S*[*?]/));
  const example = plainCommand(before) === undefined ? 'npm test' : before;
  return [
    `The ${wildcard} stands for itself: this rule matches exactly these letters.`,
    `For further words: ${ownCommand(`permissions allow shell '${example}' --reach words`)}`,
  ];
};

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

const asText = (settings: SettingsStore, use: RuleUse, running: readonly DaemonStatus[]): string[] => {
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
  ];
};

const asJson = (settings: SettingsStore, use: RuleUse, running: readonly DaemonStatus[]): unknown => ({
  modes: settings.modes(),
  savedModes: settings.savedModes(),
  running: running.map(({ folder, modes, sources }) => ({ folder, modes, sources })),
  remoteRules: settings.remoteRules(),
  rules: heldRules(settings).map((held, at) => {
    const { resource, reach = 'exact' } = held.rule;
    const { effect, toolGroup, label, madeAt, usedAt } = showRule(held, use);
    return { number: at + 1, effect, toolGroup, resource, reach, label, madeAt, usedAt };
  }),
});

const open = async ({ environment }: CommandContext) => {
  const settings = await openSettings(environment.privateFolder, systemClock);
  return { settings, use: await openRuleUse({ clock: systemClock, folder: settings.folder }) };
};

export const listPermissions = async (context: CommandContext): Promise<Answer> => {
  const { settings, use } = await open(context);
  const running = await readStatuses(settings.folder);
  return {
    text: () => asText(settings, use, running),
    json: asJson(settings, use, running),
    code: 0,
  };
};

/** `realPath`: the path is one without links, so that the rule is for what is typed. */
export const addRule = async (
  { realPath = false, ...typed }: NewRule & { realPath?: boolean },
  context: CommandContext,
): Promise<Answer> => {
  const { settings, use } = await open(context);
  const { fingerprintOfProgram } = await import('../../tools/shell/words/program-file.ts');
  const written = readWrittenRule(typed, process.cwd());
  if (realPath && written.resource !== typed.resource)
    throw errors.wrongUse({
      message: `${visible(typed.resource)} leads to ${visible(written.resource)}: no rule was made`,
      fix: 'Leave --real-path out to make a rule for where it leads.',
    });
  const rule = await readNewRule(written, ({ folder, text }) => fingerprintOfProgram(folder, text));
  await settings.addRules(typed.effect, [rule]);
  const added = `added    ${sentence({ effect: typed.effect, rule, session: null }, use)}`;
  return inWords(added, ...wildcardNote(typed));
};

/** `number` as the list shows it. */
export const removeRule = async (number: string, context: CommandContext): Promise<Answer> => {
  const { settings, use } = await open(context);
  const held = /^[1-9]\d{0,5}$/.test(number) ? heldRules(settings)[Number(number) - 1] : undefined;
  if (held === undefined)
    throw errors.wrongUse({
      message: `There is no rule ${number}`,
      fix: `See ${ownCommand('permissions')}.`,
    });
  await settings.removeRule(held.effect, held.rule);
  return inWords(`removed  ${sentence(held, use)}`);
};

export const resetRules = async (yes: boolean, context: CommandContext): Promise<Answer> => {
  const { settings } = await open(context);
  const count = heldRules(settings).length;
  mustBeAskable(yes, context, 'reset needs a terminal, or --yes');
  if (!yes && count > 0 && !(await confirm(`Remove all ${count} permanent rules?`, false)))
    return inWords('Nothing was changed.');
  await settings.clearRules();
  return inWords(`removed  all ${count} permanent rules`);
};
