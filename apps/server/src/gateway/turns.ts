/** Runs jobs of one key one after the other; jobs of different keys do not wait for each other. */
export interface Turns {
  run<T>(key: string, job: () => Promise<T>): Promise<T>;
  /** Resolves when no job runs or waits, whatever became of them. */
  settled(): Promise<void>;
}

export const createTurns = (): Turns => {
  const last = new Map<string, Promise<unknown>>();
  return {
    run: (key, job) => {
      const before = last.get(key);
      const mine = before ? before.then(job, job) : job();
      last.set(key, mine);
      const leave = () => {
        if (last.get(key) === mine) last.delete(key);
      };
      mine.then(leave, leave);
      return mine;
    },
    settled: async () => {
      while (last.size > 0) await Promise.allSettled(last.values());
    },
  };
};
