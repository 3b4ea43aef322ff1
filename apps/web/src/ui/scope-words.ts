import type { ToolGroup } from '@drawbridge/contracts/groups';

/** What each permission allows. */
export const scopeTexts: Record<ToolGroup, string> = {
  filesystemRead: 'List, search and read files in the shared folder.',
  filesystemWrite: 'Create, change, move and delete files in it.',
  shell: 'Run commands on the machine, in its sandbox.',
  computer: 'Take screenshots, control the mouse and type.',
  browser: 'Open web pages and interact with them.',
  mcp: 'Use the MCP servers configured on the machine.',
  system: 'Request more tools.',
};
