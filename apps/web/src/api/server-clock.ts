import type { Clock } from '@drawbridge/kit';

/** A header gives whole seconds, and an answer takes a while: closer than this, clocks agree. */
const toleranceMs = 5_000;

/** The time of the server, as its answers give it, with the timers of this computer. */
export const createServerClock = (own: Clock) => {
  let aheadMs = 0;
  return {
    clock: { ...own, now: () => own.now() + aheadMs },
    /** Takes the time from the `Date` of an answer. */
    learn: ({ headers }: Pick<Response, 'headers'>): void => {
      const ahead = Date.parse(headers.get('date') ?? '') - own.now();
      if (Math.abs(ahead - aheadMs) > toleranceMs) aheadMs = ahead;
    },
  };
};
