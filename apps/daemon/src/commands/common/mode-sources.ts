import { perGroup, toolGroups, type ToolGroup } from '@drawbridge/contracts/groups';
import { effectiveModes, type Modes, type SettingsStore } from '../../permission/index.ts';
import type { ModeSource } from '../../status/index.ts';
import { errors } from './errors.ts';
import type { ConnectOptions } from './options.ts';

export type ModeSources = Record<ToolGroup, ModeSource>;

/** What a person reads beside a mode: how long it lasts, and what set it. */
export const sourceWords: Record<ModeSource, string> = {
  flag: 'this session (flag)',
  session: 'this session',
  'settings.json': 'saved (settings.json)',
  default: 'default',
};

interface Held {
  settings: Pick<SettingsStore, 'modes' | 'savedModes'>;
  modes: Modes;
  flags: readonly ToolGroup[];
}

/** What flags and edits set for this session; the rest follows the file, also when it changes under way. */
export const sessionModes = ({ settings, modes, flags }: Held): Partial<Modes> => {
  const kept = effectiveModes(settings.modes());
  return Object.fromEntries(
    toolGroups
      .filter((group) => flags.includes(group) || modes[group] !== kept[group])
      .map((group) => [group, modes[group]]),
  );
};

export const modeSources = (
  settings: Pick<SettingsStore, 'savedModes'>,
  { flags, forSession }: { flags: readonly ToolGroup[]; forSession: Partial<Modes> },
): ModeSources => {
  const saved = settings.savedModes();
  return perGroup((group) => {
    if (flags.includes(group)) return 'flag';
    if (forSession[group] !== undefined) return 'session';
    return saved[group] === undefined ? 'default' : 'settings.json';
  });
};

export const wantedModes = (options: ConnectOptions, settings: SettingsStore): Modes => {
  const { system } = options.modes;
  const kept = settings.modes().system;
  if (system !== undefined && system !== 'deny' && system !== kept) {
    throw errors.wrongUse({
      message: `The mode of system can only be changed in ${settings.folder}/settings.json`,
    });
  }
  return effectiveModes({ ...settings.modes(), ...options.modes });
};
