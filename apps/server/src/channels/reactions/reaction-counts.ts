import type { ReactionSkip } from '@drawbridge/contracts/outside/channel-rules';

interface ReactionNumbers {
  matched: number;
  skipped: number;
  /** Those that occurred. */
  skipReasons: Partial<Record<ReactionSkip, number>>;
}

const none = (): ReactionNumbers => ({ matched: 0, skipped: 0, skipReasons: {} });

const count = (numbers: ReactionNumbers, skip: ReactionSkip | null): void => {
  if (skip === null) numbers.matched += 1;
  else {
    numbers.skipped += 1;
    numbers.skipReasons[skip] = (numbers.skipReasons[skip] ?? 0) + 1;
  }
};

/** What rules have done since the server started: once for each update, of a user and of all. */
export const createReactionCounts = () => {
  const all = none();
  const ofUsers = new Map<string, ReactionNumbers>();
  return {
    /** `userId`: null for a sender who is not paired. */
    add: (userId: string | null, skip: ReactionSkip | null): void => {
      count(all, skip);
      if (userId === null) return;
      const own = ofUsers.get(userId) ?? none();
      count(own, skip);
      ofUsers.set(userId, own);
    },
    /** `userId`: null for all. */
    of: (userId: string | null): ReactionNumbers =>
      structuredClone(userId === null ? all : (ofUsers.get(userId) ?? none())),
    forget: (userId: string): void => void ofUsers.delete(userId),
  };
};

export type ReactionCounts = ReturnType<typeof createReactionCounts>;
