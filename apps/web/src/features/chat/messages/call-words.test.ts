import { expect, it } from 'vitest';
import { callParts, callWords } from './call-words.ts';

it.each([
  ['the name of a file', 'read_file', { filePath: 'a\u202egpj.exe' }, 'Read a\\u{202e}gpj.exe'],
  ['a command', 'shell_execute', { command: 'ls\u200b -a' }, 'Run ls\\u{200b} -a'],
  ['the name of a tool', 'mcp__s__a\u2066b', {}, 's: a\\u{2066}b'],
  [
    'a letter of two units at the cut',
    'shell_execute',
    { command: 'a'.repeat(119) + '\u{1f600}b' },
    `Run ${'a'.repeat(119)}…`,
  ],
])('NE-03: the line of a call writes hidden characters out in %s', (_what, toolName, args, expected) => {
  expect(callWords({ toolName, args }).text).toBe(expected);
});

it.each([
  ['plan', { title: 'Redesign the blog' }, 'Plan: Redesign the blog'],
  ['plan', {}, 'Plan'],
  ['delegate', { role: 'writer' }, 'Start sub-agent: writer'],
  ['ask-user', { questions: [] }, 'Question for you'],
  ['read_file', {}, 'Read'],
  ['list_files', { dirPath: '.' }, 'List the shared folder'],
])('%s of %o is the line "%s"', (toolName, args, expected) => {
  expect(callWords({ toolName, args }).text).toBe(expected);
});

it('the call of a plan says no time: it ends with the approval', () => {
  const call = {
    id: 'a',
    agentId: 'main',
    args: {},
    result: '',
    truncated: false,
    startedAt: 1,
    endedAt: 1_101,
  };
  const ended = { ...call, outcome: 'ok' as const };
  const parts = ['plan', 'delegate'].map((toolName) => callParts({ ...ended, toolName }));
  expect(parts).toEqual([[], [{ text: '1.1 s' }]]);
});
