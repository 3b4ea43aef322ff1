import type { CallRecord } from './call.ts';
import type { CallMachineState } from './call-state.ts';

/** Somebody who waits for a call: until it has ended, or until the person is asked about it. */
export interface Waiter {
  until: 'ended' | 'asked';
  resolve(record: CallRecord): void;
  reject(error: unknown): void;
}

/** Tells those who wait for no more than this state, and lets them go. */
export const notifyWaiters = (waiters: Set<Waiter>, state: CallMachineState, record: CallRecord): void => {
  const asked = state.kind === 'awaiting-confirmation';
  for (const waiter of [...waiters]) {
    if (state.kind !== 'ended' && !(asked && waiter.until === 'asked')) continue;
    waiters.delete(waiter);
    waiter.resolve(record);
  }
};
