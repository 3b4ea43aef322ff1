import { expect, it } from 'vitest';
import { commandFailureIn, exitCodeIn, fieldLabel, isPathOf, partsOf } from './readable.ts';

it.each([
  ['plain text', 'hello', null],
  ['a list', '[1]', null],
  ['text that only begins like an object', '{ not json', null],
  ['an empty object', '{}', []],
  [
    'an object',
    '{"path":"a.txt","content":"one\\ntwo\\n","truncated":false,"more":null,"entries":[1]}',
    [
      { kind: 'fact', name: 'Path', text: 'a.txt' },
      { kind: 'text', name: 'Content', text: 'one\ntwo\n' },
      { kind: 'fact', name: 'Truncated', text: 'No' },
      { kind: 'text', name: 'Entries', text: '[\n  1\n]' },
    ],
  ],
  [
    'a command that failed',
    '{"stdout":"","stderr":"no script","exitCode":1}',
    [
      { kind: 'text', name: 'Errors', text: 'no script' },
      { kind: 'fact', name: 'Exit code', text: '1' },
    ],
  ],
  [
    'a command that printed nothing',
    '{"stdout":"","stderr":"","exitCode":0}',
    [{ kind: 'fact', name: '', text: 'No output' }],
  ],
])('reads %s', (_what, text, expected) => {
  expect(partsOf(text)).toEqual(expected);
});

it.each([
  ['filePath', 'File'],
  ['maxLines', 'Max lines'],
  ['timeout', 'Timeout in ms'],
  ['issue_id', 'Issue id'],
  ['URL', 'URL'],
  ['a\u200bb', 'a\u200bb'],
  ['constructor', 'Constructor'],
])('names the field %j %j', (name, label) => {
  expect(fieldLabel(name)).toBe(label);
});

it('reads an exit code from the result of a command alone', () => {
  expect(
    ['{"stdout":"","exitCode":7}', '{"stdout":"\\"exitCode\\":7"}', 'exitCode 7'].map(exitCodeIn),
  ).toEqual([7, null, null]);
});

it.each([
  [
    '{"stdout":"a","stderr":"first\\nnpm error Missing script\\n\\n","exitCode":1}',
    'npm error Missing script',
  ],
  ['{"stdout":"a","stderr":"","exitCode":2}', 'exit code 2'],
  ['{"stdout":"a","stderr":"waiting","exitCode":null,"timedOut":true}', 'timed out'],
  ['{"path":"a.txt"}', null],
  ['No such file', null],
])('why a command with the result %s failed: %s', (text, expected) => {
  expect(commandFailureIn(text)).toBe(expected);
});

it.each([
  ['{"path":"a.txt"}', true],
  ['{"path":"b.txt"}', false],
  ['{"path":"a.txt","lines":2}', false],
  ['a.txt', false],
])('%s repeats the path of the arguments: %s', (text, is) => {
  expect(isPathOf(text, { filePath: 'a.txt', newString: 'x' })).toBe(is);
});
