import { expect, it } from 'vitest';
import { createMcpNames } from './names.ts';

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
