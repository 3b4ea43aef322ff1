import { systemClock, type Clock } from '@drawbridge/kit';

/** Real timers, and a time of day that only `pass` moves, however slow the machine is. */
export const createStoppedTime = (): { clock: Clock; pass(ms: number): void } => {
  let now = systemClock.now();
  return { clock: { ...systemClock, now: () => now }, pass: (ms) => void (now += ms) };
};
