import { toolGroups } from '@drawbridge/contracts';
import { systemClock } from '@drawbridge/kit';
import {
  openSettings,
  visible,
  type Rule,
  type RuleEffect,
  type SettingsStore,
} from '../permission/index.ts';
import { errors } from './errors.ts';
import { groupLabel } from './summary.ts';

type NumberedRule = Rule & { effect: RuleEffect };

/** Every permanent rule, in the order in which it is numbered from 1. */
const rulesOf = (settings: SettingsStore): NumberedRule[] => {
  const { deny, allow } = settings.rules();
  return [
    ...deny.map((rule) => ({ effect: 'deny' as const, ...rule })),
    ...allow.map((rule) => ({ effect: 'allow' as const, ...rule })),
  ];
};

const showRule = ({ effect, toolGroup, resource }: NumberedRule): string =>
  `${effect.padEnd(6)} ${toolGroup}  ${visible(resource)}`;

const list = (settings: SettingsStore): string => {
  const modes = settings.modes();
  const rules = rulesOf(settings);
  const width = String(rules.length).length;
  return [
    ...toolGroups.map((group) => `${groupLabel(group).padEnd(18)}${modes[group]}`),
    '',
    ...rules.map((rule, at) => `${String(at + 1).padStart(width)}  ${showRule(rule)}`),
    ...(rules.length === 0 ? ['There are no permanent rules.'] : []),
  ].join('\n');
};

const remove = async (settings: SettingsStore, numberText: string): Promise<string> => {
  const rule = /^[1-9]\d{0,5}$/.test(numberText) ? rulesOf(settings)[Number(numberText) - 1] : undefined;
  if (rule === undefined) {
    throw errors.wrongUse({ message: `There is no rule ${numberText}`, fix: 'See drawbridge permissions.' });
  }
  const { effect, ...bare } = rule;
  await settings.removeRule(effect, bare);
  return `removed  ${showRule(rule)}`;
};

/** `drawbridge permissions`: the modes and permanent rules of this machine as text, or one rule taken back. */
export const permissions = async (folder: string, options: { remove?: string }): Promise<string> => {
  const settings = await openSettings(folder, systemClock);
  return options.remove === undefined ? list(settings) : remove(settings, options.remove);
};
