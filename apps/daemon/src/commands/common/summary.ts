import { toolGroups, type ToolGroup } from '@drawbridge/contracts/groups';
import { visible } from '@drawbridge/kit';
import { groupLabel, type Modes } from '../../permission/index.ts';
import { sourceWords, type ModeSources } from './mode-sources.ts';

export interface Summed {
  url: string;
  folder: string;
  /** Where the folder comes from, or what it replaces. */
  folderNote?: string | undefined;
  modes: Modes;
  sources: ModeSources;
  shellSandbox: boolean;
}

export const modeLine = (group: ToolGroup, mode: string, source: string): string =>
  `${groupLabel(group).padEnd(18)}${mode.padEnd(7)}${source}`;

const sourceOf = ({ modes, sources, shellSandbox }: Summed, group: ToolGroup): string =>
  group === 'network' && modes.network === 'allow'
    ? `${sourceWords[sources.network]}, any host: a command can send what it reads to every host`
    : group === 'shell' && modes.shell !== 'deny' && !shellSandbox
      ? `${sourceWords[sources.shell]}, without a sandbox: commands can do whatever you can do`
      : sourceWords[sources[group]];

export const summary = (what: Summed): string =>
  [
    '',
    `  server  ${visible(what.url)}`,
    `  folder  ${visible(what.folder)}`,
    ...(what.folderNote === undefined ? [] : [`          ${visible(what.folderNote)}`]),
    '',
    ...toolGroups.map((group) => `  ${modeLine(group, what.modes[group], sourceOf(what, group))}`),
    '',
  ].join('\n');
