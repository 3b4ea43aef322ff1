import type { CallSummary } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import type { Gateway } from '../../gateway/index.ts';

/** A promise, and what lets it go when nobody waits for it any more. */
export interface Wait {
  done: Promise<void>;
  stop(): void;
}

/** Resolves at the first change of one of the person's calls that is meant. */
export const callChange = (
  gateway: Gateway,
  userId: string,
  isMeant: (call: CallSummary) => boolean,
): Wait => {
  let stop = () => {};
  const done = new Promise<void>((resolve) => {
    stop = gateway.onCallChanged(userId, (event) => {
      if (event.type === 'call' && isMeant(event.call)) resolve();
    });
  });
  return { done, stop };
};

/** Resolves after so many milliseconds. */
export const delay = (clock: Clock, ms: number): Wait => {
  let stop = () => {};
  const done = new Promise<void>((resolve) => {
    stop = clock.after(ms, resolve);
  });
  return { done, stop };
};
