export { nameWarningsOf } from './text/name-warnings.ts';
export { exponential, fullJitter } from './backoff.ts';
export { createBoundedMap, type BoundedMap } from './maps/bounded-map.ts';
export { canonical, jsonOf } from './canonical.ts';
export { nextMacrotask, sleep, systemClock, type Clock } from './time/clock.ts';
export { CodedError, createErrors, type ErrorDetail } from './coded-error.ts';
export { cutText } from './text/cut-text.ts';
export { createEmitter, type Emitter } from './emitter.ts';
export { createFakeClock, type FakeClock } from './time/fake-clock.ts';
export { hasCode } from './has-code.ts';
export { hostOf, isSubdomain, meantHostOf, type Host } from './host.ts';
export {
  createKeyedQueue,
  createLimiter,
  createPerMinute,
  createSerialQueue,
  type KeyedQueue,
  type Limiter,
  type PerMinute,
  type SerialQueue,
} from './limiter.ts';
export { fileNameOf } from './text/file-name.ts';
export { mainLine } from './text/main-line.ts';
export { mediaTypeOf, typeByStart } from './text/media-type.ts';
export { parseUrl } from './parse-url.ts';
export { createPending, type Pending } from './pending.ts';
export {
  isDrawnOtherwise,
  contentPiecesOf,
  contentWarningsOf,
  piecesOf,
  prosePiecesOf,
  visible,
  visibleLines,
  warningsOf,
  warningWords,
  withoutHidden,
  type Piece,
  type TextWarning,
} from './text/visible-text.ts';
export { signalChild } from './signal-child.ts';
export { createTimer, type Timer } from './time/timer.ts';
export { createTransientMap, type TransientMap } from './maps/transient-map.ts';
