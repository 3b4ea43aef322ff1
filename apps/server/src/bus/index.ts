export { pingRedis } from './ping-redis.ts';
export { createRedisBus, type RedisBus } from './redis-bus.ts';
