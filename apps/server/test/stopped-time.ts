import { systemClock, type Clock } from '@drawbridge/kit';

/** Real timers, and a time that `pass` alone changes: early is early on a slow machine too. */
export const createStoppedTime = (): { clock: Clock; pass(ms: number): void } => {
  let now = systemClock.now();
  return { clock: { ...systemClock, now: () => now }, pass: (ms) => void (now += ms) };
};
