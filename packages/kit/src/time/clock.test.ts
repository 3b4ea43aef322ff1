import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFakeClock, sleep, systemClock } from '../index.ts';

const days = (count: number) => count * 24 * 60 * 60 * 1_000;

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

it.each([
  ['at once', 0],
  ['a negative wait, at once', -5],
  ['a second', 1_000],
  ['the longest wait of one timer', 2 ** 31 - 1],
  ['one millisecond more', 2 ** 31],
  ['60 days', days(60)],
])('runs once, after %s and not before', (_name, ms) => {
  const run = vi.fn();
  systemClock.after(ms, run);
  if (ms > 0) {
    vi.advanceTimersByTime(ms - 1);
    expect(run).not.toHaveBeenCalled();
  }
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(days(60));
  expect(run).toHaveBeenCalledTimes(1);
});

it.each([
  ['before it began', 0],
  ['in a later step', 2 ** 31 + 5],
])('cancels a long wait %s', (_name, cancelledAtMs) => {
  const run = vi.fn();
  const cancel = systemClock.after(days(60), run);
  vi.advanceTimersByTime(cancelledAtMs);
  cancel();
  vi.advanceTimersByTime(days(60));
  expect(run).not.toHaveBeenCalled();
});

it('runs again and again until cancelled', () => {
  const run = vi.fn();
  const cancel = systemClock.every(10, run);
  vi.advanceTimersByTime(35);
  cancel();
  vi.advanceTimersByTime(100);
  expect(run).toHaveBeenCalledTimes(3);
});

it('returns the wall time', () => {
  vi.setSystemTime(123);
  expect(systemClock.now()).toBe(123);
});

it('sleeps until the time has come', async () => {
  const clock = createFakeClock();
  const awake = vi.fn();
  const sleeping = sleep(clock, 10).then(awake);
  clock.advance(9);
  await Promise.resolve();
  expect(awake).not.toHaveBeenCalled();
  clock.advance(1);
  await sleeping;
  expect(awake).toHaveBeenCalledTimes(1);
});

it.each([
  ['during the sleep', false],
  ['before it', true],
])('wakes with the reason of a signal aborted %s, and leaves no timer', async (_name, early) => {
  const clock = createFakeClock();
  const controller = new AbortController();
  const reason = new Error('enough');
  if (early) controller.abort(reason);
  const sleeping = sleep(clock, 10, controller.signal);
  controller.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
  expect(clock.waiting()).toBe(0);
});
