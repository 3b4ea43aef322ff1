import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createNameLimit } from './name-limit.ts';

it('limits the uses of each name per minute and returns when the next one is allowed', () => {
  const clock = createFakeClock(0);
  const limit = createNameLimit({ clock, max: 2 });
  expect([limit.use('a'), limit.use('a'), limit.use('b')]).toEqual([null, null, null]);
  clock.advance(20_500);
  expect([limit.use('a'), limit.use('b')]).toEqual([40, null]);
  clock.advance(39_500);
  expect([limit.use('a'), limit.use('a'), limit.use('a')]).toEqual([null, null, 60]);
});

it('counts 5,000 names at most, and drops the one that was used longest ago', () => {
  const limit = createNameLimit({ clock: createFakeClock(0), max: 1 });
  const use = (from: number, to: number) => {
    for (let name = from; name < to; name += 1) limit.use(String(name));
  };
  use(0, 5_000);
  expect(limit.use('0')).toBe(60);
  use(5_000, 5_001);
  expect(limit.use('0')).toBe(60);
  expect(limit.use('1')).toBeNull();
});
