/** How a provider did. Times in milliseconds. */
export interface Health {
  /** In a row. */
  failures: number;
  /** It is not asked before. */
  coolUntil: number;
  /** Of the last failure, in words; null after a success. */
  problem: string | null;
}

export interface Failure {
  problem: string;
  /** What it asks to wait; null where it does not say. */
  waitMs: number | null;
}

export const cooling = { baseMs: 30_000, capMs: 600_000 };

export const healthy: Health = { failures: 0, coolUntil: 0, problem: null };

/** The first that is not cooling down and was not asked yet; null without one. */
export const nextProvider = (
  all: readonly Health[],
  { now, asked }: { now: number; asked: readonly number[] },
): number | null => {
  const next = all.findIndex(({ coolUntil }, index) => coolUntil <= now && !asked.includes(index));
  return next === -1 ? null : next;
};

/** Requests that fail side by side count once. */
export const afterFailure = (
  before: Health,
  { problem, waitMs }: Failure,
  { startedAt, now }: { startedAt: number; now: number },
): Health => {
  if (before.coolUntil > startedAt) return before;
  const failures = before.failures + 1;
  const own = cooling.baseMs * 2 ** Math.min(before.failures, 10);
  return { failures, coolUntil: now + Math.min(waitMs ?? own, cooling.capMs), problem };
};
