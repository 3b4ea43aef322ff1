import { sleep, type Clock } from '@drawbridge/kit';
import { Redis } from 'ioredis';
import { reasonOf } from './redis-bus.ts';

const longestMs = 3_000;

/** Null when Redis answers within 3 s; else why it does not, as a word. */
export const pingRedis = async (url: string, clock: Clock): Promise<string | null> => {
  let reason = 'no answer';
  const noteReason = (error: unknown) => void (reason = reasonOf(error));
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  redis.on('error', noteReason);
  const ask = async () => {
    await redis.connect();
    await redis.ping();
    return true;
  };
  const isThere = await Promise.race([
    // The first error is the cause; what follows says that the connection is closed.
    ask().catch((error: unknown) => {
      if (reason === 'no answer') noteReason(error);
      return false;
    }),
    sleep(clock, longestMs).then(() => false),
  ]);
  redis.disconnect();
  return isThere ? null : reason;
};
