import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exponential, fullJitter } from './index.ts';

const attempts = [0, 1, 2, 3, 4, 5, 6, 1_000_000];

it.each([
  [
    'the server: 10 s doubling to 120 s',
    { baseMs: 10_000, capMs: 120_000 },
    [10_000, 20_000, 40_000, 80_000, 120_000, 120_000, 120_000, 120_000],
  ],
  [
    'the daemon: 1 s doubling to 30 s',
    { baseMs: 1_000, capMs: 30_000 },
    [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000],
  ],
])('%s', (_name, range, expected) => {
  expect(attempts.map((attempt) => exponential(attempt, range))).toEqual(expected);
});

it.each([
  ['the least', 0, 0],
  ['the middle', 0.5, 500],
  ['the most', 1 - Number.EPSILON, 1_000],
])('jitter: %s', (_name, random, expected) => {
  expect(fullJitter(1_000, () => random)).toBe(expected);
});

it('jitter stays between 0 and the wait', () => {
  fc.assert(
    fc.property(
      fc.nat(120_000),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (ms, random) => {
        const wait = fullJitter(ms, () => random);
        expect(Number.isInteger(wait) && wait >= 0 && wait <= ms).toBe(true);
      },
    ),
  );
});
