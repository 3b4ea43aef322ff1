import { turnTimeoutMs } from '@drawbridge/contracts/machines/runtimes';

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

/** The gateway's numbers. All times in milliseconds. */
export const defaultLimits = {
  /** How long a dispatched call may stay silent. Specification 6.1. */
  callTimeoutMs: 30 * second,
  /** The same for a turn of a coding agent, which works on while its machine is away. */
  turnTimeoutMs,
  /** How long a call may take in all, time spent on confirmations apart. */
  callMaxMs: 10 * minute,
  /** The same for a turn of a coding agent. */
  turnMaxMs: 4 * 60 * minute,
  /** The longest JSON text of a result, in bytes. */
  resultMaxBytes: 16 * 1024 * 1024,
  /** The longest JSON text of a call's arguments, in bytes: what a daemon is sure to read as one frame. */
  argumentsMaxBytes: 4 * 1024 * 1024,
  /** What the calls of one token, client or signed-in person may store in a day, in bytes. */
  storedBytesPerDay: 2 * 1024 * 1024 * 1024,
  /** Machines of one user; a forgotten one does not count. */
  machinesPerUser: 20,
  /** Open calls of one user. */
  maxOpenCalls: 100,
  /** Open calls that came through one token or client. */
  maxOpenCallsOfOne: 80,
  /** Live output for new subscribers: of one open call, and of all open calls of a user. In characters. */
  liveOutputLength: 64 * 1024,
  liveOutputsLength: 2 * 1024 * 1024,
  /** How long after its longest time a stopped call is still reported to a machine that reconnects. */
  stopAgainMs: 10 * minute,
  /** How long a server that has claimed an idempotency key may take until it makes the call. */
  claimMs: 10 * second,
  /** How long an idempotency key names its call, and how many one token or client may have in that time. */
  idempotencyKeyTtlMs: day,
  maxIdempotencyKeys: 10_000,
  /** How many states one token or client may use up in that time. */
  maxSpentStates: 10_000,
  /**
   * How long a call whose answer was not read is not run again by the same call, and of how many of a token
   * or client that is known.
   */
  unreadMs: minute,
  maxUnread: 2_000,
  /**
   * How often a stream is probed; its reader is dead when it has answered before and leaves this many
   * unanswered.
   */
  probeEveryMs: 20 * second,
  /** How often keys that another process has revoked are looked for. */
  revokedEveryMs: 750,
  maxUnanswered: 2,
  /** How often daemons may replace each other on one machine within the window before its key is revoked. */
  maxTakings: 3,
  takingsWindowMs: minute,
  /** How long a confirmation can be answered. */
  confirmationTtlMs: day,
  /** How long a pairing token can be used. Specification 2. */
  pairingTokenTtlMs: 5 * minute,
  /** After how long without use a session key ends. */
  sessionKeyIdleMs: 30 * day,
  /** `min(base × 2^n, cap)` is the grace after a dropped stream. Specification 7. */
  graceBaseMs: 10 * second,
  graceCapMs: 120 * second,
  /**
   * The grace for machines that were connected when the server stopped: longer than a daemon's longest
   * back-off.
   */
  restartGraceMs: 60 * second,
  /** How long a daemon may take to answer a query, and how many of each kind wait at once. */
  queryTimeoutMs: 10 * second,
  maxMachineQueries: 1_000,
  /** After how long an end that could not be written down is tried again. */
  storeRetryMs: 2 * second,
  /** How long calls that have ended are kept; null for ever. */
  keepCallsMs: (90 * day) as number | null,
  /** The pause between two steps of deleting what is old. */
  forgetPauseMs: 50,
};

export type GatewayLimits = typeof defaultLimits;
