import { expect, it } from 'vitest';
import { waitMsOf } from './prefer.ts';

it.each([
  [undefined, 50_000],
  ['', 50_000],
  ['wait=10', 10_000],
  ['wait="10"', 10_000],
  ['WAIT=10', 10_000],
  ['wait=0', 0],
  ['wait=301', 300_000],
  ['wait=999999999', 300_000],
  ['wait=9999999999', 50_000],
  ['wait=-1', 50_000],
  ['wait=1.5', 50_000],
  ['respond-async', 0],
  ['respond-async, wait=10', 10_000],
  ['wait=10; q=1, respond-async', 10_000],
  ['return=minimal', 50_000],
])('%s waits %d ms', (prefer, ms) => {
  expect(waitMsOf({ headers: prefer === undefined ? {} : { prefer } }, 50)).toBe(ms);
});
