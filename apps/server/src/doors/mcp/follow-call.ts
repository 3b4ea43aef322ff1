import type { Call, CallSummary } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import type { Gateway } from '../../gateway/index.ts';
import type { Said } from './progress.ts';

/** How often a client hears that a question is still open. */
const reminderEveryMs = 10_000;

/** A call that somebody waits for. */
interface Followed {
  userId: string;
  requestId: string;
}

interface FollowOptions {
  /** How long at most. */
  waitMs: number;
  /** Stops the waiting, not the call. */
  signal: AbortSignal;
  /** Hears what the tool says, and again and again that the person is asked. */
  onProgress: ((said: Said) => void) | undefined;
  /** What is said while the person is asked. */
  reminder(call: CallSummary): string;
}

/** Waits until the call has ended, the time is over or the waiting is stopped; gives the call as it then is. Throws `notFound`. */
export type FollowCall = (followed: Followed, options: FollowOptions) => Promise<Call>;

export const createFollowCall =
  ({ gateway, clock }: { gateway: Gateway; clock: Clock }): FollowCall =>
  async ({ userId, requestId }, { waitMs, signal, onProgress, reminder }) => {
    let settle = () => {};
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    let last: CallSummary | null = null;
    const remind = () => {
      if (last?.state === 'awaiting-confirmation') onProgress?.({ message: reminder(last) });
    };
    const move = (call: CallSummary) => {
      last = call;
      if (call.endedAt !== null) settle();
      else remind();
    };
    const stops = [
      gateway.onCallChanged(userId, (event) => {
        if (event.type === 'progress') {
          if (event.requestId === requestId) onProgress?.(event);
        } else if (event.call.requestId === requestId) move(event.call);
      }),
      clock.after(waitMs, settle),
      clock.every(reminderEveryMs, remind),
    ];
    signal.addEventListener('abort', settle, { once: true });
    try {
      const call = await gateway.getCall(userId, requestId);
      if (call.endedAt !== null) return call;
      if (last === null) move(call);
      if (!signal.aborted && waitMs > 0) await settled;
      return await gateway.getCall(userId, requestId);
    } finally {
      signal.removeEventListener('abort', settle);
      for (const stop of stops) stop();
    }
  };
