import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import type { ToolGroup } from '@drawbridge/contracts/groups';
import { type Clock, createLimiter, createTimer, type Limiter } from '@drawbridge/kit';
import { errors } from './common/errors.ts';

export type Lane = ToolGroup | 'process' | 'action';

export const runningLimits: Record<Lane, number> = {
  filesystemRead: 8,
  filesystemWrite: 4,
  shell: 2,
  process: 8,
  network: 1,
  computer: 1,
  browser: 1,
  mcp: 4,
  runtime: 2,
  action: 8,
  system: 1,
};

export const maxWaiting = 256;

/** Most waits are shorter than this: a post for each would cost more than the calls themselves. */
const firstReportMs = 1_000;
const reportEveryMs = 10_000;

export interface Place {
  lane: Lane;
  /** Aborted while it waits, the call leaves the queue and never starts. */
  signal: AbortSignal;
  /** A call that waits says so, which renews its deadline. */
  progress(update: ProgressBody): void;
}

/** Releases the job's turn while it waits for something else, and acquires the next one afterwards. */
export type Outside = <T>(wait: () => Promise<T>, message?: string) => Promise<T>;

const turnMessage = 'Waiting for other calls on the machine';

export const createQueue = (clock: Clock) => {
  const limiters = new Map<Lane, Limiter>();
  let waiting = 0;

  const limiterOf = (lane: Lane): Limiter => {
    const limiter = limiters.get(lane) ?? createLimiter(runningLimits[lane]);
    limiters.set(lane, limiter);
    return limiter;
  };

  const waitFor = async <T>(
    { progress }: Place,
    wait: () => Promise<T>,
    message = turnMessage,
  ): Promise<T> => {
    const report = () => progress({ message });
    const timer = createTimer(clock);
    const repeat = () => {
      report();
      timer.start(reportEveryMs, repeat);
    };
    waiting += 1;
    timer.start(firstReportMs, repeat);
    try {
      return await wait();
    } finally {
      waiting -= 1;
      timer.cancel();
    }
  };

  return {
    /** Rejects with `tooManyCalls`, with the signal's reason, or as the job does. */
    run: async <T>(place: Place, job: (outside: Outside) => Promise<T>) => {
      const { lane, signal } = place;
      signal.throwIfAborted();
      const limiter = limiterOf(lane);
      if (limiter.isFull() && waiting >= maxWaiting) throw errors.tooManyCalls();
      const acquire = () => limiter.acquire(signal);
      const takeTurn = () => (limiter.isFull() ? waitFor(place, acquire) : acquire());
      let release: (() => void) | null = await takeTurn();
      const outside: Outside = async (wait, message) => {
        release?.();
        release = null;
        const value = await waitFor(place, wait, message);
        release = await takeTurn();
        return value;
      };
      try {
        return await job(outside);
      } finally {
        release?.();
      }
    },
  };
};

export type Queue = ReturnType<typeof createQueue>;
