import { expect, it } from 'vitest';
import { coreToolNames } from './core-tools.ts';
import { createMcpNames, ownNames } from './names.ts';

const mcpToolName = createMcpNames(['write_file', 'n8n_run_workflow']);

it.each([
  ['read_file', { name: 'mcp__files__read_file' }],
  ['notes.list', { name: 'mcp__files__notes_list' }],
  ['planner', { name: 'mcp__files__planner' }],
])('%s is offered', (tool, read) => {
  expect(mcpToolName('files', tool)).toEqual(read);
});

it.each([
  ['plan', 'that of a tool of the agent'],
  ['Fetch_URL', 'that of a tool of the agent'],
  ['searchTools', 'that of a tool of the agent'],
  ['canvas_put', 'that of a tool of the agent'],
  ['1oad_tooI', 'that of a tool of the agent'],
  ['rernernber', 'that of a tool of the agent'],
  ['writeFile', 'that of a tool of the agent, of a machine'],
  ['n8n.run.workflow', 'that of a tool of the agent, of a machine or of a product'],
  ['../x', 'other characters'],
  ['.x', 'other characters'],
  ['', 'other characters'],
  ['rеad', 'other characters'],
  ['a b', 'other characters'],
  ['a'.repeat(60), 'longer than 64'],
])('%j is left out', (tool, why) => {
  expect(mcpToolName('files', tool)).toEqual({ why: expect.stringContaining(why) as string });
});

const isOwn = ownNames(['n8n_run_workflow', 'workspace_shell_execute']);

it.each([
  ...coreToolNames.flatMap((name) => [
    name,
    name.toUpperCase(),
    name.replaceAll(/[-_]/g, ''),
    name.replaceAll(/[-_]/g, '..'),
    name.replaceAll('l', '1').replaceAll('o', '0').replaceAll('m', 'rn').replaceAll('w', 'vv'),
  ]),
  ...[
    'N8N-run.workflow',
    'workspaceshellexecute',
    'WorkspaceShellExecute',
    'workspace_anything',
    'workspace',
  ],
  ...['mcp__ext__x', 'mcp_ext_x', 'MCP..ext..x', 'mcpExtX', '_mcp__x', 'rncp__ext__x'],
])('NA-35: %s of a machine looks like one of ours', (name) => {
  expect(isOwn(name)).toBe(true);
});

it.each([
  'read_file',
  'shell_execute',
  'notes__save',
  'n8n__list',
  'workspaces__list',
  'mcpanel',
  'planner',
  'search',
])('%s does not', (name) => {
  expect(isOwn(name)).toBe(false);
});
