import type { Clock } from './clock.ts';

/** A timeout that can be cancelled and restarted. */
export const createTimer = (clock: Clock) => {
  let cancelWait: (() => void) | null = null;
  const cancel = () => {
    cancelWait?.();
    cancelWait = null;
  };
  return {
    /** Runs `run` once after `ms`; an earlier wait of this timer is cancelled. */
    start: (ms: number, run: () => void) => {
      cancel();
      cancelWait = clock.after(ms, () => {
        cancelWait = null;
        run();
      });
    },
    cancel,
    isWaiting: () => cancelWait !== null,
  };
};

export type Timer = ReturnType<typeof createTimer>;
