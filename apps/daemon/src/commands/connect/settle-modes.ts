import { toolGroups, toolScopes, type ToolGroup } from '@drawbridge/contracts/groups';
import { effectiveModes, type Modes, type SettingsStore } from '../../permission/index.ts';
import type { TerminalOutput } from '../../terminal/terminal-output.ts';
import { errors } from '../common/errors.ts';
import { modeSources, sessionModes, wantedModes, type ModeSources } from '../common/mode-sources.ts';
import type { ConnectOptions } from '../common/options.ts';
import { askToStart } from './start-question.ts';
import { summary, type Summed } from '../common/summary.ts';

interface Given {
  options: ConnectOptions;
  settings: SettingsStore;
}

interface Planned {
  wanted: Modes;
  flags: ToolGroup[];
  sources: ModeSources;
}

export interface SettledModes {
  modes: Modes;
  /** Groups whose mode a flag or a variable gave; what was edited at the start is no longer the flag's. */
  flags: ToolGroup[];
}

const refuseNothing = (modes: Modes): void => {
  if (toolScopes.every((group) => (modes[group] ?? 'deny') === 'deny')) throw errors.nothingAllowed();
};

/** The modes of flags, variables and settings. Throws `wrongUse` and `nothingAllowed`. */
export const planModes = ({ options, settings }: Given): Planned => {
  const wanted = wantedModes(options, settings);
  refuseNothing(wanted);
  const flags = toolGroups.filter((group) => options.modes[group] !== undefined);
  const forSession = sessionModes({ settings, modes: wanted, flags });
  return { wanted, flags, sources: modeSources(settings, { flags, forSession }) };
};

interface Shown extends Omit<Summed, 'modes' | 'sources'> {
  ask: boolean;
}

/** Shows the modes and asks at a terminal. Throws `declined`, `nothingAllowed`. */
export const settleModes = async (
  { wanted, flags, sources }: Planned,
  { ask, ...rest }: Shown,
  terminal: TerminalOutput,
): Promise<SettledModes> => {
  const shown = { ...rest, modes: wanted, sources };
  if (!ask) terminal.printText(summary(shown));
  const modes = ask ? effectiveModes(await askToStart(shown, terminal)) : wanted;
  refuseNothing(modes);
  return { modes, flags: flags.filter((group) => modes[group] === wanted[group]) };
};
