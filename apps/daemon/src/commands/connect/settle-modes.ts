import { toolGroups, type ToolGroup } from '@drawbridge/contracts/groups';
import { effectiveModes, type Modes, type SettingsStore } from '../../permission/index.ts';
import type { TerminalOutput } from '../../terminal/terminal-output.ts';
import { errors } from '../common/errors.ts';
import { modeSources, sessionModes, wantedModes } from '../common/mode-sources.ts';
import type { ConnectOptions } from '../common/options.ts';
import type { RootFolder } from '../common/root-folder.ts';
import { showUrl } from '../common/server-url.ts';
import { askToStart } from './start-question.ts';
import { summary } from '../common/summary.ts';

interface Given {
  options: ConnectOptions;
  settings: SettingsStore;
  start: RootFolder;
  url: URL;
  ask: boolean;
}

export interface SettledModes {
  modes: Modes;
  /** Groups whose mode a flag or a variable gave; what was edited at the start is no longer the flag's. */
  flags: ToolGroup[];
}

const refuseNothing = (modes: Modes): void => {
  if (Object.values(modes).every((mode) => mode === 'deny')) throw errors.nothingAllowed();
};

/** Shows the modes and asks at a terminal. Throws `declined`, `nothingAllowed`, `badFolder`. */
export const settleModes = async (
  { options, settings, start, url, ask }: Given,
  terminal: TerminalOutput,
): Promise<SettledModes> => {
  const wanted = wantedModes(options, settings);
  refuseNothing(wanted);
  const flags = toolGroups.filter((group) => options.modes[group] !== undefined);
  const forSession = sessionModes({ settings, modes: wanted, flags });
  const { shellSandbox } = options;
  const sources = modeSources(settings, { flags, forSession });
  const shown = { url: showUrl(url), folder: start.path, modes: wanted, sources, shellSandbox };
  if (!ask && start.wide !== null)
    throw errors.badFolder({ message: `${start.path} is too wide to share without asking` });
  if (!ask) terminal.printText(summary(shown));
  const modes = ask ? effectiveModes(await askToStart({ ...shown, wide: start.wide }, terminal)) : wanted;
  refuseNothing(modes);
  return { modes, flags: flags.filter((group) => modes[group] === wanted[group]) };
};
