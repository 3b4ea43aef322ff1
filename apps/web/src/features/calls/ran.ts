import type { CallSummary } from '@drawbridge/contracts/calls';

type Ended = Pick<CallSummary, 'durationMs' | 'ruling'>;

/**
 * How long a call ran, in ms, without its waits for an answer. Null while it is open, and without `waitedMs`
 * for a call that was asked about.
 */
export const ranMs = (
  { durationMs, ruling }: Ended,
  waitedMs: number | null = ruling === 'asked' ? null : 0,
): number | null => (durationMs === null || waitedMs === null ? null : Math.max(0, durationMs - waitedMs));
