/** Runs what shares a key one after the other, and what does not at once. */
export type InTurn = <T>(keys: readonly string[], run: () => Promise<T>) => Promise<T>;

export const createInTurn = (): InTurn => {
  const last = new Map<string, Promise<unknown>>();
  return async (keys, run) => {
    if (keys.length === 0) return run();
    // All keys are taken in one go, so that no two can wait for each other.
    const before = Promise.allSettled(keys.map((key) => last.get(key)));
    const turn = before.then(run);
    const done = turn.then(
      () => undefined,
      () => undefined,
    );
    for (const key of keys) last.set(key, done);
    try {
      return await turn;
    } finally {
      for (const key of keys) if (last.get(key) === done) last.delete(key);
    }
  };
};
