import { expect, it } from 'vitest';
import { callOf } from '../../../test/worlds.ts';
import { ranMs } from '../calls/ran.ts';
import { callEnd } from './call-end.ts';

const asked = { ruling: 'asked', durationMs: 3_600_000 } as const;

it.each([
  [{}, '20 ms'],
  [{ ...asked, decidedBy: 'u1' }, 'Allowed by you'],
  [{ ...asked, decidedBy: 'u2' }, 'Allowed'],
  [{ ...asked, decidedBy: null }, 'Allowed by a rule'],
  [{ state: 'cancelled' }, 'Stopped after 20 ms'],
  [{ ...asked, state: 'cancelled' }, 'Stopped'],
  [{ ...asked, state: 'denied', decidedBy: 'u1' }, 'Denied by you'],
] as const)('a time never has the wait for an answer in it: %o', (change, text) => {
  expect(callEnd(callOf(change), 'u1').text).toBe(text);
});

it('subtracts the wait where it is known', () => {
  expect(ranMs(callOf(asked), 3_599_969)).toBe(31);
});
