/**
 * How long the daemon waits before it tries again, doubled each time. The specification (7) ends at 30 s; a person who waits for
 * a server that is back already waits for at most 10 s.
 */
export const retryRange = { baseMs: 1_000, capMs: 10_000 };
