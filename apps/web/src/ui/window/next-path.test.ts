import { expect, it } from 'vitest';
import { nextPath } from './next-path.ts';

it.each([
  ['/activity/r1', '/activity/r1'],
  ['/tools/read_file?x=1', '/tools/read_file?x=1'],
  [undefined, '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['https://evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['/sign-in?next=/sign-in', '/'],
])('goes from %j to %s', (next, expected) => {
  expect(nextPath({ query: next === undefined ? {} : { next } })).toBe(expected);
});
