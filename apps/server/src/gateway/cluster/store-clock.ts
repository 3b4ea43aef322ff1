import type { Clock } from '@drawbridge/kit';

/** One measurement of the database's time: the process's clock before and after it. In milliseconds. */
export interface Measured {
  before: number;
  after: number;
  database: number;
}

/** The process's clock, with the time of the database: servers whose own clocks differ agree on it. */
export const createStoreClock = (own: Clock) => {
  let offsetMs = 0;
  const clock: Clock = { ...own, now: () => own.now() + offsetMs };
  return {
    clock,
    offsetMs: () => offsetMs,
    measured: ({ before, after, database }: Measured) => {
      const measuredMs = Math.round(database - (before + after) / 2);
      // Within what the measurement can tell, the time stays as it is.
      if (Math.abs(measuredMs - offsetMs) > (after - before) / 2 + 1) offsetMs = measuredMs;
    },
  };
};
