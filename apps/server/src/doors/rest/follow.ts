import type { Call } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import type { Gateway } from '../../gateway/index.ts';
import type { Caller } from './caller.ts';
import { isOpen, ownCall } from './own-call.ts';
import { callChange, delay } from './waits.ts';

interface Wait {
  waitMs: number;
  /** Aborts when the client leaves. */
  leaving: AbortSignal;
}

export type Follow = (caller: Caller, requestId: string, wait: Wait) => Promise<Call>;

/** Gives one of the caller's calls when it has ended, when the time is over, or when the client leaves. Throws as `ownCall` does. */
export const createFollow =
  ({ gateway, clock }: { gateway: Gateway; clock: Clock }): Follow =>
  async (caller, requestId, { waitMs, leaving }) => {
    const isMeant = (call: { requestId: string; state: Call['state'] }) =>
      call.requestId === requestId && !isOpen(call);
    const change = callChange(gateway, caller.userId, isMeant);
    const time = delay(clock, waitMs);
    try {
      const call = await ownCall(gateway, caller, requestId);
      if (waitMs === 0 || !isOpen(call)) return call;
      const left = new Promise<void>((resolve) => {
        leaving.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([change.done, time.done, left]);
      return await ownCall(gateway, caller, requestId);
    } finally {
      change.stop();
      time.stop();
    }
  };
