/** `min(baseMs × 2^attempt, capMs)`, attempt counted from 0. */
export const exponential = (attempt: number, range: { baseMs: number; capMs: number }): number =>
  Math.min(range.baseMs * 2 ** Math.min(attempt, 52), range.capMs);

/** Full jitter: from 0 to `ms`, so that many clients do not retry at once. `random` returns [0, 1). */
export const fullJitter = (ms: number, random: () => number = Math.random): number =>
  Math.floor(random() * (ms + 1));
