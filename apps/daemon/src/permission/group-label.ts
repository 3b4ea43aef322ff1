import type { ToolGroup } from '@drawbridge/contracts/groups';

const labels: Record<ToolGroup, string> = {
  filesystemRead: 'read files',
  filesystemWrite: 'change files',
  shell: 'run commands',
  network: 'commands online',
  computer: 'screen and input',
  browser: 'browser',
  mcp: 'MCP servers',
  runtime: 'coding agents',
  system: 'activate tools',
};

/** "read files": a group of tools as people read it. */
export const groupLabel = (group: ToolGroup): string => labels[group];
