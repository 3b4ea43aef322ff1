/** The revision whose requests stand alone: no session, and each result says what kind it is. */
export const statelessRevision = '2026-07-28';

export const serverInfo = { name: 'drawbridge', title: 'Drawbridge', version: '0.1.0' };

/** How long a client may cache the list of tools; one that listens is notified of each change. */
export const cacheHint = { ttlMs: 60_000, cacheScope: 'private' } as const;
