import type { Entry, Happening } from '../history.ts';

export const start = 1_000_000;

/** An entry of a history, so many milliseconds after its start. */
export const at = (ms: number, happening: Happening): Entry => ({ at: start + ms, ...happening });
