/** The gateway's numbers. All times in milliseconds. */
export interface GatewayLimits {
  /** How long a dispatched call may stay silent. Specification 6.1. */
  callTimeoutMs: number;
  /** How long a call may take in all, time spent on confirmations apart. */
  callMaxMs: number;
  /** The longest JSON text of a result, in bytes. */
  resultMaxBytes: number;
  /** The longest JSON text of a call's arguments, in bytes: what a daemon is sure to read as one frame. */
  argumentsMaxBytes: number;
  /** Open calls of one user. */
  maxOpenCalls: number;
  /** Open calls that came through one token or client. */
  maxOpenCallsOfOne: number;
  /** Live output for new subscribers: of one open call, and of all open calls of a user. In characters. */
  liveOutputLength: number;
  liveOutputsLength: number;
  /** How long after its longest time a call that was stopped is still told to a machine that comes back. */
  stopAgainMs: number;
  /** How long a server that has claimed an idempotency key may take until it makes the call. */
  claimMs: number;
  /** How long an idempotency key names its call, and how many one token or client may have in that time. */
  idempotencyKeyTtlMs: number;
  maxIdempotencyKeys: number;
  /** How many states one token or client may use up in that time. */
  maxSpentStates: number;
  /**
   * How long a call whose answer was not read is not run again by the same call, and of how many of a token
   * or client that is known.
   */
  unreadMs: number;
  maxUnread: number;
  /**
   * How often a stream is probed; its reader is dead when it has answered before and leaves this many
   * unanswered.
   */
  probeEveryMs: number;
  /** How often keys that another process has revoked are looked for. */
  revokedEveryMs: number;
  maxUnanswered: number;
  /** How often daemons may replace each other on one machine within the window before its key is revoked. */
  maxTakings: number;
  takingsWindowMs: number;
  /** How long a confirmation can be answered. */
  confirmationTtlMs: number;
  /** How long a pairing token can be used. Specification 2. */
  pairingTokenTtlMs: number;
  /** After how long without use a session key ends. */
  sessionKeyIdleMs: number;
  /** `min(base × 2^n, cap)` is the grace after a dropped stream. Specification 7. */
  graceBaseMs: number;
  graceCapMs: number;
  /**
   * The grace for machines that were connected when the server stopped: longer than a daemon's longest
   * back-off.
   */
  restartGraceMs: number;
  /** How long a daemon may take to answer a question about its rules, and how many of them wait at once. */
  rulesTimeoutMs: number;
  maxRulesQueries: number;
  /** After how long an end that could not be written down is tried again. */
  storeRetryMs: number;
  /** How long calls that have ended are kept; null for ever. */
  keepCallsMs: number | null;
  /** The pause between two steps of deleting what is old. */
  forgetPauseMs: number;
}

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

export const defaultLimits: GatewayLimits = {
  callTimeoutMs: 30 * second,
  callMaxMs: 10 * minute,
  resultMaxBytes: 16 * 1024 * 1024,
  argumentsMaxBytes: 4 * 1024 * 1024,
  maxOpenCalls: 100,
  maxOpenCallsOfOne: 80,
  liveOutputLength: 64 * 1024,
  liveOutputsLength: 2 * 1024 * 1024,
  stopAgainMs: 10 * minute,
  claimMs: 10 * second,
  idempotencyKeyTtlMs: day,
  maxIdempotencyKeys: 10_000,
  maxSpentStates: 10_000,
  unreadMs: minute,
  maxUnread: 2_000,
  probeEveryMs: 20 * second,
  revokedEveryMs: 750,
  maxUnanswered: 2,
  maxTakings: 3,
  takingsWindowMs: minute,
  confirmationTtlMs: day,
  pairingTokenTtlMs: 5 * minute,
  sessionKeyIdleMs: 30 * day,
  graceBaseMs: 10 * second,
  graceCapMs: 120 * second,
  restartGraceMs: 60 * second,
  rulesTimeoutMs: 10 * second,
  maxRulesQueries: 1_000,
  storeRetryMs: 2 * second,
  keepCallsMs: 90 * day,
  forgetPauseMs: 50,
};
