import { expect, it } from 'vitest';
import { createFakeClock } from './fake-clock.ts';
import { createTimer } from './timer.ts';

it('waits once, and a later start takes the place of an earlier one', () => {
  const clock = createFakeClock();
  const timer = createTimer(clock);
  const ran: string[] = [];
  timer.start(100, () => ran.push('first'));
  clock.advance(50);
  timer.start(100, () => ran.push(`second, waiting: ${timer.isWaiting()}`));
  clock.advance(99);
  expect([ran, timer.isWaiting()]).toEqual([[], true]);
  clock.advance(1);
  expect([ran, timer.isWaiting()]).toEqual([['second, waiting: false'], false]);
  timer.start(10, () => ran.push('cancelled'));
  timer.cancel();
  clock.advance(100);
  expect([ran.length, timer.isWaiting(), clock.waiting()]).toEqual([1, false, 0]);
});
