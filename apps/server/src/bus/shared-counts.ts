import { createHmac } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';

/** The first use begins the window. */
const script = `
local uses
if ARGV[1] == '1' then uses = redis.call('INCR', KEYS[1])
else uses = tonumber(redis.call('GET', KEYS[1]) or '0') end
local left = redis.call('PTTL', KEYS[1])
if uses > 0 and left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  left = tonumber(ARGV[2])
end
return { uses, math.max(left, 0) }`;

const reply = z.tuple([z.number(), z.number()]);

interface Needs {
  redis: Pick<Redis, 'eval'>;
  prefix: string;
  secret: string;
  /** Redis does not answer: then nothing waits for it. */
  isAway(): boolean;
}

/** Counts uses for all servers; rejects without Redis. Names are digests there: some are e-mail addresses. */
export const createSharedCounts = ({ redis, prefix, secret, isAway }: Needs) => {
  const keyOf = (key: string) => {
    const [limit = ''] = key.split(':', 1);
    return `${prefix}limit:${limit}:${createHmac('sha256', secret).update(`limit ${key}`).digest('base64url')}`;
  };
  return async (use: { key: string; isUse: boolean; windowMs: number }) => {
    if (isAway()) throw new Error('Redis is away');
    const answer = await redis.eval(script, 1, keyOf(use.key), use.isUse ? '1' : '0', use.windowMs);
    const [uses, leftMs] = reply.parse(answer);
    return { uses, leftMs };
  };
};
