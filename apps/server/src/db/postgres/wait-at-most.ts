import { systemClock } from '@drawbridge/kit';
import { coded } from './pg-error.ts';

/**
 * The connection, if it is there within `ms`; throws otherwise, and leaves it to the next one who asks.
 * The clock is the real one, because Postgres and the network have no other.
 */
export const waitAtMost = async <T>(ms: number, connection: Promise<T>): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>();
  // The words of `pg` for its own limit.
  const late = () => reject(coded(new Error('timeout exceeded when trying to connect')));
  const stop = systemClock.after(ms, late);
  try {
    return await Promise.race([connection, promise]);
  } finally {
    stop();
  }
};
