import { toolGroups, type ToolGroup } from '@drawbridge/contracts';
import { visible, type Modes } from '../permission/index.ts';

const labels: Record<ToolGroup, string> = {
  filesystemRead: 'read files',
  filesystemWrite: 'change files',
  shell: 'run commands',
  computer: 'screen and input',
  browser: 'browser',
  mcp: 'MCP servers',
  system: 'activate tools',
};

export const groupLabel = (group: ToolGroup): string => labels[group];

export interface Summed {
  url: string;
  folder: string;
  modes: Modes;
  shellSandbox: boolean;
}

const modeOf = ({ modes, shellSandbox }: Summed, group: ToolGroup): string =>
  group === 'shell' && modes.shell !== 'deny' && !shellSandbox
    ? `${modes.shell}, without a sandbox: commands can do whatever you can do`
    : modes[group];

/** What is about to be connected, as the person sees it before anything is sent. */
export const summary = (what: Summed): string =>
  [
    '',
    `  server  ${visible(what.url)}`,
    `  folder  ${visible(what.folder)}`,
    '',
    ...toolGroups.map((group) => `  ${labels[group].padEnd(18)}${modeOf(what, group)}`),
    '',
  ].join('\n');
