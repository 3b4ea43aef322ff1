export { exponential, fullJitter } from './backoff.ts';
export { canonical } from './canonical.ts';
export { endOfTurn, sleep, systemClock, type Clock } from './clock.ts';
export { CodedError, createErrors, type ErrorDetail } from './coded-error.ts';
export { createEmitter, type Emitter } from './emitter.ts';
export { createFakeClock, type FakeClock } from './fake-clock.ts';
export { createPending, type Pending } from './pending.ts';
