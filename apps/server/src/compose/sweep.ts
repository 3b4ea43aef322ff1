import type { Clock } from '@drawbridge/kit';

/** Deletes what is old, step by step; rejects with the signal's reason when it is aborted. */
export type Forget = (signal: AbortSignal) => Promise<void>;

interface SweepNeeds {
  clock: Clock;
  jobs: readonly Forget[];
  onError(error: unknown): void;
}

const everyMs = 24 * 60 * 60 * 1_000;

/** Runs the jobs now and each day, one after the other. */
export const startSweep = ({ clock, jobs, onError }: SweepNeeds) => {
  const ending = new AbortController();
  let running: Promise<void> | null = null;

  const runAll = async () => {
    for (const job of jobs) {
      await job(ending.signal).catch((error: unknown) => {
        if (!ending.signal.aborted) onError(error);
      });
    }
  };
  /** Runs the jobs now, unless they are running. */
  const run = () => {
    running ??= runAll().finally(() => {
      running = null;
    });
  };

  const stopTimer = clock.every(everyMs, run);
  run();
  return {
    run,
    /** Resolves once all writes are done. */
    stop: async () => {
      stopTimer();
      ending.abort();
      await running;
    },
  };
};

export type Sweep = ReturnType<typeof startSweep>;
