import pLimit from 'p-limit';

/** Runs a limited number of jobs at once; the others wait in order. */
export interface Limiter {
  /** Runs a job in its turn. Rejects with the signal's reason if it is aborted while the job waits. */
  run<T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Waits for a slot; the returned function releases it. Rejects like `run`. */
  acquire(signal?: AbortSignal): Promise<() => void>;
  /** Whether the next job has to wait. */
  isFull(): boolean;
}

export const createLimiter = (concurrency: number): Limiter => {
  const limit = pLimit(concurrency);

  const run = <T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
    new Promise((resolve, reject) => {
      const abort = () => reject(signal?.reason);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      void limit(async () => {
        signal?.removeEventListener('abort', abort);
        if (!signal?.aborted) await job().then(resolve, reject);
      });
    });

  const acquire = (signal?: AbortSignal): Promise<() => void> =>
    new Promise((resolve, reject) => {
      run(() => new Promise<void>((release) => resolve(release)), signal).catch(reject);
    });

  return { run, acquire, isFull: () => limit.activeCount + limit.pendingCount >= concurrency };
};

/** Runs jobs one after the other; a job that fails does not stop the next one. */
export type SerialQueue = <T>(job: () => Promise<T>) => Promise<T>;

export const createSerialQueue = (): SerialQueue => pLimit(1);

/** Runs jobs that share a key one after the other, and the others at once. */
export interface KeyedQueue {
  /** A job whose keys are free starts before `run` returns. One that fails does not stop the next one. */
  run<T>(keys: string | readonly string[], job: () => Promise<T>): Promise<T>;
  /** Resolves when no job runs or waits. */
  settled(): Promise<void>;
}

export const createKeyedQueue = (): KeyedQueue => {
  const last = new Map<string, Promise<unknown>>();
  return {
    run: (given, job) => {
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
    settled: async () => {
      while (last.size > 0) await Promise.allSettled(last.values());
    },
  };
};
