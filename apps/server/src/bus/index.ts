export { createRedisBus, type RedisBus } from './redis-bus.ts';
