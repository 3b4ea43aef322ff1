import type { Clock } from '@drawbridge/kit';
import type { Bus } from '../src/gateway/bus.ts';

/** What a process has of its surroundings. */
export interface TestProcess {
  clock: Clock;
  bus: Bus;
  /** Suspended, none of its timers runs and it receives nothing; what comes meanwhile is lost. */
  suspend(isSuspended: boolean): void;
}

/** A server's process; its own clock may be ahead of the others'. */
export const createTestProcess = (clock: Clock, bus: Bus, aheadMs = 0): TestProcess => {
  let suspended = false;
  const unlessSuspended = (run: () => void) => () => void (suspended || run());
  return {
    clock: {
      now: () => clock.now() + aheadMs,
      after: (ms, run) => clock.after(ms, unlessSuspended(run)),
      every: (ms, run) => clock.every(ms, unlessSuspended(run)),
    },
    bus: {
      ...bus,
      subscribe: (topic, listener) =>
        bus.subscribe(topic, (message) => void (suspended || listener(message))),
    },
    suspend: (isSuspended) => {
      suspended = isSuspended;
    },
  };
};
