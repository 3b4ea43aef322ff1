/** The only way to read the time or to wait. All times in milliseconds. */
export interface Clock {
  /** Wall time, milliseconds since 1970. */
  now(): number;
  /** Runs `run` once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Runs `run` every `ms` until cancelled. */
  every(ms: number, run: () => void): () => void;
}

/** Node's timers fire at once beyond this, so a longer wait has several steps. */
const longestTimerMs = 2 ** 31 - 1;

const after = (ms: number, run: () => void): (() => void) => {
  let timer: NodeJS.Timeout;
  const step = (leftMs: number) => {
    const thisMs = Math.min(leftMs, longestTimerMs);
    timer = setTimeout(() => (leftMs > thisMs ? step(leftMs - thisMs) : run()), Math.max(0, thisMs));
  };
  step(ms);
  return () => clearTimeout(timer);
};

export const systemClock: Clock = {
  now: () => Date.now(),
  after,
  every: (ms, run) => {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
};

/** Resolves in the next turn of the event loop. */
export const nextMacrotask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Resolves after `ms`, or rejects with the signal's reason when it is aborted first. */
export const sleep = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
