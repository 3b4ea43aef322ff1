import type { Clock } from '@drawbridge/kit';

/** How long a request may take. `stop` ends the timer; call it when the request has ended. */
export interface Deadline {
  /** Aborts when the time is over, and with the signal of the caller. */
  signal: AbortSignal;
  isOver(): boolean;
  stop(): void;
}

/** `reason`: what the signal aborts with when the time is over. */
export const createDeadline = (
  { clock, ms, reason }: { clock: Clock; ms: number; reason?: Error },
  caller?: AbortSignal,
): Deadline => {
  const over = new AbortController();
  const stop = clock.after(ms, () => over.abort(reason));
  return {
    signal: caller ? AbortSignal.any([caller, over.signal]) : over.signal,
    isOver: () => over.signal.aborted,
    stop,
  };
};
