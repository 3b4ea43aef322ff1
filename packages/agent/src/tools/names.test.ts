import { expect, it } from 'vitest';
import { mcpToolName } from './names.ts';

it.each([
  ['read_file', { name: 'mcp__files__read_file' }],
  ['notes.list', { name: 'mcp__files__notes_list' }],
  ['planner', { name: 'mcp__files__planner' }],
])('%s is offered', (tool, read) => {
  expect(mcpToolName('files', tool)).toEqual(read);
});

it.each([
  ['plan', "agent's own"],
  ['Fetch_URL', "agent's own"],
  ['searchTools', "agent's own"],
  ['../x', 'other characters'],
  ['.x', 'other characters'],
  ['', 'other characters'],
  ['rеad', 'other characters'],
  ['a b', 'other characters'],
  ['a'.repeat(60), 'longer than 64'],
])('%j is left out', (tool, why) => {
  expect(mcpToolName('files', tool)).toEqual({ why: expect.stringContaining(why) as string });
});
