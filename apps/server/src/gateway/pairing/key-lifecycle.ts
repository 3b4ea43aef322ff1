import type { StoredKey } from './keys.store.ts';

type KeyLife = Pick<StoredKey, 'kind' | 'createdAt' | 'expiresAt' | 'lastUsedAt' | 'usedAt' | 'revokedAt'>;

/**
 * Whether the key can still be used. A pairing token is spent by one init, and none comes from the future; a
 * session key ends when it is left alone.
 */
export const holds = (key: KeyLife, at: { now: number; sessionKeyIdleMs: number }): boolean => {
  if (key.revokedAt !== null) return false;
  if (key.kind === 'session') return at.now - (key.lastUsedAt ?? key.createdAt) < at.sessionKeyIdleMs;
  return key.usedAt === null && key.createdAt <= at.now && at.now < (key.expiresAt ?? 0);
};

/** How exact `lastUsedAt` is: a write for each use would be one for each result. */
export const touchEveryMs = 60 * 60 * 1_000;

export const needsTouch = (lastUsedAt: number, now: number): boolean => now - lastUsedAt >= touchEveryMs;
