import { expect, it } from 'vitest';
import { takeFragmentToken } from './fragment-token.ts';

it.each([
  ['/setup#abc_1-2', 'abc_1-2'],
  ['/setup#token=abc', 'abc'],
  ['/setup', ''],
])('LG-11 takes the token of %s and leaves the path', (address, token) => {
  history.replaceState(null, '', address);
  expect([takeFragmentToken(), location.pathname, location.hash]).toEqual([token, '/setup', '']);
});
