import type { Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';

/** Results of at least so many bytes are large, and those that do not say how long they are. */
export const largeBytes = 64 * 1024;

export const largeLimits = {
  /** Large results that are read and worked on at once: one of each user, and so many of all. */
  inAll: 8,
  /** One that takes longer counts for its user alone. */
  holdMs: 10_000,
  /** A daemon drops a request that stays without an answer for a minute. */
  waitMs: 45_000,
};

interface Waiting {
  userId: string;
  begin(): void;
}

/** Admits results that take much memory, a few at once; the others wait before their body is read. */
export const createLargeResultAdmission = (clock: Clock) => {
  const busy = new Set<string>();
  const line = new Set<Waiting>();
  let inAll = 0;

  /** The one that has waited longest, of those whose user has none. */
  const next = (): Waiting | undefined =>
    inAll < largeLimits.inAll ? [...line].find(({ userId }) => !busy.has(userId)) : undefined;

  const fill = () => {
    for (let waiter = next(); waiter; waiter = next()) waiter.begin();
  };

  const acquire = (userId: string): (() => void) => {
    busy.add(userId);
    inAll += 1;
    let counts = true;
    let isHeld = true;
    const passOn = () => {
      if (!counts) return;
      counts = false;
      inAll -= 1;
      fill();
    };
    const stopHolding = clock.after(largeLimits.holdMs, passOn);
    return () => {
      if (!isHeld) return;
      isHeld = false;
      stopHolding();
      busy.delete(userId);
      passOn();
      fill();
    };
  };

  return {
    /**
     * Resolves with the function that releases the slot. Throws `tooManyRequests` if no slot is free in time,
     * and the reason of an aborted signal.
     */
    enter: (userId: string, signal: AbortSignal): Promise<() => void> =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const leave = () => {
          line.delete(waiting);
          stopWaiting();
          signal.removeEventListener('abort', giveUp);
        };
        const giveUp = () => {
          leave();
          reject(signal.reason);
        };
        const waiting: Waiting = {
          userId,
          begin: () => {
            leave();
            resolve(acquire(userId));
          },
        };
        const stopWaiting = clock.after(largeLimits.waitMs, () => {
          leave();
          reject(errors.tooManyRequests());
        });
        signal.addEventListener('abort', giveUp, { once: true });
        line.add(waiting);
        fill();
      }),
  };
};

export type LargeResultAdmission = ReturnType<typeof createLargeResultAdmission>;
