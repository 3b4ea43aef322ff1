const hour = 60 * 60_000;

export const processLimits = {
  atOnce: 8,
  ofOneCaller: 4,
  endedKept: 50,
  endedKeptMs: 24 * hour,
  lifeMs: 24 * hour,
  /** Without a read, a write, output and bytes of its connections. */
  idleMs: 2 * hour,
  /** UTF-16 code units; at least as many of the last ones are kept. */
  outputChars: 1024 * 1024,
  endedOutputChars: 64 * 1024,
  /** Written and not read by the program yet. */
  waitingInputBytes: 256 * 1024,
  inputBytes: 64 * 1024,
  waitMs: 60_000,
  resultChars: 100_000,
} as const;
