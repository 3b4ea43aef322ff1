/** A key as far as its life goes. Times in milliseconds. */
export type KeyLife =
  | { kind: 'pairing'; createdAt: number; expiresAt: number; used: boolean; revoked: boolean }
  | { kind: 'session'; lastUsedAt: number; revoked: boolean };

/**
 * Whether the key can still be used. A pairing token is spent by one init, and none comes from the future; a
 * session key ends when it is left alone.
 */
export const holds = (key: KeyLife, at: { now: number; sessionKeyIdleMs: number }): boolean => {
  if (key.revoked) return false;
  switch (key.kind) {
    case 'pairing':
      return !key.used && key.createdAt <= at.now && at.now < key.expiresAt;
    case 'session':
      return at.now - key.lastUsedAt < at.sessionKeyIdleMs;
    default:
      return key satisfies never;
  }
};

/** How exact `lastUsedAt` is: a write for each use would be one for each result. */
export const touchEveryMs = 60 * 60 * 1_000;

export const needsTouch = (lastUsedAt: number, now: number): boolean => now - lastUsedAt >= touchEveryMs;
