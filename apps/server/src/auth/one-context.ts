import { AsyncLocalStorage } from 'node:async_hooks';

/** As much of an `AsyncLocalStorage` as better-auth uses. */
export interface Context {
  run<T>(value: unknown, job: () => T): T;
  getStore(): unknown;
}

/**
 * Contexts in one storage, disabled while no job runs: up to Node 22 an enabled one slows every promise.
 * Paid by bench/results.md: "`gateway.calls.open` reads 1 KiB, one at a time: p50", in decision 31.
 */
export const createContexts = <Name extends string>(names: readonly Name[]): Record<Name, Context> => {
  const storage = new AsyncLocalStorage<ReadonlyMap<Name, unknown>>();
  let running = 0;
  const ended = () => {
    running -= 1;
    if (running === 0) storage.disable();
  };

  const context = (name: Name): Context => ({
    getStore: () => storage.getStore()?.get(name),
    run: (value, job) => {
      running += 1;
      let later = false;
      try {
        const result = storage.run(new Map(storage.getStore()).set(name, value), job);
        later = result instanceof Promise;
        if (result instanceof Promise) result.then(ended, ended);
        return result;
      } finally {
        if (!later) ended();
      }
    },
  });
  // One context for each name.
  return Object.fromEntries(names.map((name) => [name, context(name)])) as Record<Name, Context>;
};

/** Where better-auth looks for contexts that another copy of it has made. */
const place = Symbol.for('better-auth:global');
const names = ['requestStateAsyncStorage', 'adapterAsyncStorage', 'endpointContextAsyncStorage'] as const;

const { failure: failures, ...context } = createContexts([...names, 'failure']);

/** Replaces better-auth's contexts, once in a process. Call it before the first use of better-auth. */
export const lendContexts = (): void => {
  if (Reflect.has(globalThis, place)) return;
  Object.defineProperty(globalThis, place, { value: { version: '', epoch: 0, context }, writable: true });
};

/** Runs a job of better-auth, with what it answered as a failure without saying why. */
export const withFailure = async <T>(job: () => Promise<T>): Promise<{ result: T; failure: unknown }> => {
  const seen: { failure?: unknown } = {};
  const result = await failures.run(seen, job);
  return { result, failure: seen.failure };
};

/** For better-auth to say what has failed. */
export const noteFailure = (failure: unknown): void => {
  Object.assign(failures.getStore() ?? {}, { failure });
};
