import type { Clock } from './clock.ts';

/** A timeout that can be cancelled and restarted. */
export interface Timer {
  /** Runs `run` once after `ms`; an earlier wait of this timer is cancelled. */
  start(ms: number, run: () => void): void;
  cancel(): void;
  isWaiting(): boolean;
}

export const createTimer = (clock: Clock): Timer => {
  let cancelWait: (() => void) | null = null;
  const cancel = () => {
    cancelWait?.();
    cancelWait = null;
  };
  return {
    start: (ms, run) => {
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
