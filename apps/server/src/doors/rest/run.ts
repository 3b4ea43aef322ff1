import type { Call, ToolCall } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import type { CallClaim, Gateway } from '../../gateway/index.ts';
import type { Caller } from './caller.ts';
import { ownCall } from './own-call.ts';
import { callChange, delay } from './waits.ts';

interface Asked {
  caller: Caller;
  call: ToolCall;
  /** Takes the call back. */
  signal: AbortSignal;
  /** For a call that the client has named. */
  claim?: Extract<CallClaim, { kind: 'new' }>;
}

/** Makes a call, and gives it when it has ended or `waitMs` are over, but written down. Throws as `Gateway.call` does. */
export type Run = (asked: Asked, waitMs: number) => Promise<Call>;

interface RunNeeds {
  gateway: Gateway;
  clock: Clock;
  /** Hears what went wrong with a call whose client has been answered. */
  onError(error: unknown): void;
}

export const createRun = ({ gateway, clock, onError }: RunNeeds): Run => {
  const make = async ({ caller, call, signal, claim }: Asked, opened: (requestId: string) => void) => {
    let isOpened = false;
    try {
      return await gateway.call(caller.userId, call, {
        door: 'rest',
        via: caller.via,
        until: 'ended',
        signal,
        ...(claim && { requestId: claim.requestId }),
        onOpened: (requestId) => {
          isOpened = true;
          opened(requestId);
          claim?.settle(true).catch(onError);
        },
      });
    } finally {
      if (!isOpened) await claim?.settle(false);
    }
  };

  return async (asked, waitMs) => {
    const { caller } = asked;
    let requestId = '';
    const written = callChange(gateway, caller.userId, (changed) => changed.requestId === requestId);
    const time = delay(clock, waitMs);
    const ended = make(asked, (id) => (requestId = id));
    const waited = Promise.all([written.done, time.done]).then(() => null);
    try {
      const over = await Promise.race([ended, waited]);
      if (over !== null) return over;
    } finally {
      written.stop();
      time.stop();
    }
    ended.catch(onError);
    return ownCall(gateway, caller, requestId);
  };
};
