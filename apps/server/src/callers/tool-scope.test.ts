import { describe, expect, it } from 'vitest';
import { toolScopes } from '@drawbridge/contracts/groups';
import { groupsOfTool, isWithinScopes } from './tool-scope.ts';

const tool = (name: string, category?: string, more = {}) => ({
  name,
  annotations: { ...(category !== undefined && { category }), ...more },
});

/** All that a token has which was made before there were coding agents. */
const olderGroups = toolScopes.filter((group) => group !== 'runtime');

describe('the groups of a tool', () => {
  it.each([
    ['reads', tool('read_file', 'filesystem'), ['filesystemRead']],
    ['reads, of a machine that says nothing', tool('search_files'), ['filesystemRead']],
    ['writes', tool('write_file', 'filesystem'), ['filesystemWrite']],
    ['writes, whatever it says', tool('delete', undefined, { readOnlyHint: true }), ['filesystemWrite']],
    ['a command', tool('shell_execute', 'shell'), ['shell']],
    ['the keyboard', tool('keyboard_type', 'computer'), ['computer']],
    ['offering more tools', tool('activate_tools', 'system'), ['system']],
    ['a browser tool', tool('browser_navigate', 'browser'), ['browser']],
    ['a tool of a server on the machine', tool('files__read_file', 'mcp'), ['mcp']],
    [
      'an unknown one among the files',
      tool('read_all', 'filesystem', { readOnlyHint: true }),
      ['filesystemWrite'],
    ],
    ['a known name that says shell', tool('read_file', 'shell'), ['filesystemRead', 'shell']],
    ['a command that says it only reads', tool('shell_execute', 'filesystem'), ['shell']],
    ['a coding agent', tool('runtime_turn', 'runtime'), ['runtime']],
    ['an unknown category', tool('x', 'filesystemRead'), olderGroups],
    ['nothing at all', { name: 'x' }, olderGroups],
  ])('%s', (_, given, groups) => {
    expect(groupsOfTool(given)).toEqual(groups);
  });

  it('MC-12 a read-only token reaches only reading tools', () => {
    const all = ['read_file', 'write_file', 'shell_execute', 'browser_navigate', 'x'].map((name) =>
      tool(name),
    );
    expect(all.filter((one) => isWithinScopes(one, ['filesystemRead'])).map(({ name }) => name)).toEqual([
      'read_file',
    ]);
  });
});
