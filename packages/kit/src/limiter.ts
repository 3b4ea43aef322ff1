import fastq from 'fastq';
import type { Clock } from './time/clock.ts';
import { createTransientMap } from './maps/transient-map.ts';

/** Runs a limited number of jobs at once; the others wait in order. */
export const createLimiter = (concurrency: number) => {
  const queue = fastq<unknown, () => Promise<void>>(
    (job, done) => void job().then(() => done(null)),
    concurrency,
  );

  /** Runs a job in its turn. Rejects with the signal's reason if it is aborted while the job waits. */
  const run = <T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
    new Promise((resolve, reject) => {
      const abort = () => reject(signal?.reason);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      queue.push(async () => {
        signal?.removeEventListener('abort', abort);
        if (signal?.aborted) return;
        try {
          resolve(await job());
        } catch (error) {
          reject(error);
        }
      });
    });

  /** Waits for a slot; the returned function releases it. Rejects like `run`. */
  const acquire = (signal?: AbortSignal): Promise<() => void> =>
    new Promise((resolve, reject) => {
      run(() => new Promise<void>((release) => resolve(release)), signal).catch(reject);
    });

  return {
    run,
    acquire,
    /** Whether the next job has to wait. */
    isFull: () => queue.running() >= concurrency,
  };
};

export type Limiter = ReturnType<typeof createLimiter>;

/** Runs jobs one after the other; a job that fails does not stop the next one. */
export type SerialQueue = <T>(job: () => Promise<T>) => Promise<T>;

export const createSerialQueue = (): SerialQueue => createLimiter(1).run;

/** Runs jobs that share a key one after the other, and the others at once. */
export const createKeyedQueue = () => {
  const last = createTransientMap<string, Promise<unknown>>();
  return {
    /** A job whose keys are free starts before `run` returns. One that fails does not stop the next one. */
    run: <T>(given: string | readonly string[], job: () => Promise<T>) => {
      const keys = typeof given === 'string' ? [given] : given;
      const before = keys.flatMap((key) => last.get(key) ?? []);
      // All keys are queued in one step, so that two jobs cannot wait for each other.
      const turn = before.length === 0 ? job() : Promise.allSettled(before).then(job);
      for (const key of keys) last.set(key, turn);
      const free = () => {
        for (const key of keys) if (last.get(key) === turn) last.delete(key);
      };
      turn.then(free, free);
      return turn;
    },
    /** Resolves when no job runs or waits. */
    settled: async () => {
      while (last.size > 0) await Promise.allSettled(last.values());
    },
  };
};

export type KeyedQueue = ReturnType<typeof createKeyedQueue>;

const minuteMs = 60_000;
/** The maximum of counted keys; beyond it the one that was used longest ago is dropped. */
const maxKeys = 5_000;

/** Limits uses of a key in windows of that length, a minute by default, each from its first use. */
export const createPerMinute = ({
  clock,
  max,
  windowMs = minuteMs,
}: {
  clock: Clock;
  max: number;
  windowMs?: number;
}) => {
  const windows = createTransientMap<string, { uses: number; endsAt: number }>();
  const current = (key: string) => {
    const known = windows.get(key);
    return known && clock.now() < known.endsAt ? known : { uses: 0, endsAt: clock.now() + windowMs };
  };
  const secondsLeft = ({ uses, endsAt }: { uses: number; endsAt: number }) =>
    uses > max ? Math.ceil((endsAt - clock.now()) / 1_000) : null;

  return {
    /** Counts one use. Gives the seconds until the next one is allowed if there were too many, else null. */
    use: (key: string): number | null => {
      const window = current(key);
      window.uses += 1;
      windows.delete(key);
      windows.set(key, window);
      const [oldest] = windows.keys();
      if (windows.size > maxKeys && oldest !== undefined) windows.delete(oldest);
      return secondsLeft(window);
    },
    /** The same without counting: for limits on failures alone. */
    check: (key: string): number | null => secondsLeft(current(key)),
  };
};

export type PerMinute = ReturnType<typeof createPerMinute>;
