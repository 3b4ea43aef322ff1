import { expect, it } from 'vitest';
import { cutText } from './cut-text.ts';

it.each([
  ['abc', 3, 'abc'],
  ['abc', 2, 'ab'],
  ['a\u{1f600}b', 2, 'a'],
  ['a\u{1f600}b', 3, 'a\u{1f600}'],
  ['\u{1f600}', 1, ''],
  ['ab', 0, ''],
])('%j cut at %d is %j', (text, length, expected) => {
  expect(cutText(text, length)).toBe(expected);
});
