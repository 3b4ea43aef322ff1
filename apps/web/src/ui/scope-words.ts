import type { ToolGroup } from '@drawbridge/contracts';

/** What each group lets whoever has it do, in words for a person who decides. */
export const scopeTexts: Record<ToolGroup, string> = {
  filesystemRead: 'List, search and read files in the folder of the machine.',
  filesystemWrite: 'Make, change, move and delete files there.',
  shell: 'Run programs of the machine, within its sandbox.',
  computer: 'See the screen, move the mouse and type.',
  browser: 'Open pages and act on them.',
  mcp: 'Use the MCP servers that were added on the machine.',
  system: 'Ask for more groups of tools.',
};
