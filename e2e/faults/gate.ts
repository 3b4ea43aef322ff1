/** One direction of a link. What comes while it is held waits; what comes while it loses is gone. */
export interface Gate {
  /** True when it may go on, false when it is lost. */
  pass(): Promise<boolean>;
  set(state: 'open' | 'held' | 'losing'): void;
}

export const createGate = (): Gate => {
  let state: 'open' | 'held' | 'losing' = 'open';
  let waiting: ((passes: boolean) => void)[] = [];
  return {
    pass: () =>
      state === 'held' ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(state === 'open'),
    set: (next) => {
      state = next;
      if (next === 'held') return;
      const released = waiting;
      waiting = [];
      for (const resolve of released) resolve(next === 'open');
    },
  };
};
