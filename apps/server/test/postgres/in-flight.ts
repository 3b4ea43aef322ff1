import pg from 'pg';

const running = new Set<Promise<unknown>>();
let isWatched = false;

const watched = <Given extends unknown[], Result>(run: (...given: Given) => Result) =>
  function count(this: unknown, ...given: Given): Result {
    const result = run.apply(this, given);
    if (result instanceof Promise) {
      const settled = result.then(
        () => {},
        () => {},
      );
      running.add(settled);
      void settled.then(() => running.delete(settled));
    }
    return result;
  };

/** Counts the queries of all clients of this process: a turn of the event loop does not end them. */
export const watchQueries = (): void => {
  if (isWatched) return;
  isWatched = true;
  for (const prototype of [pg.Client.prototype, pg.Pool.prototype])
    for (const name of ['query', 'connect'] as const)
      Object.assign(prototype, { [name]: watched(prototype[name] as (...given: unknown[]) => unknown) });
};

/** Resolves once no query runs; false if none did. */
export const queriesEnded = async (): Promise<boolean> => {
  if (running.size === 0) return false;
  await Promise.all(running);
  return true;
};
