import { expect, it } from 'vitest';
import { partsOf } from './readable.ts';

it.each([
  ['plain text', 'hello', null],
  ['a list', '[1]', null],
  ['text that only begins like an object', '{ not json', null],
  ['an empty object', '{}', []],
  [
    'an object',
    '{"path":"a.txt","content":"one\\ntwo\\n","truncated":false,"more":null,"entries":[1]}',
    [
      { kind: 'fact', name: 'path', text: 'a.txt' },
      { kind: 'text', name: 'content', text: 'one\ntwo\n' },
      { kind: 'fact', name: 'truncated', text: 'false' },
      { kind: 'fact', name: 'more', text: 'null' },
      { kind: 'text', name: 'entries', text: '[\n  1\n]' },
    ],
  ],
])('reads %s', (_what, text, expected) => {
  expect(partsOf(text)).toEqual(expected);
});
