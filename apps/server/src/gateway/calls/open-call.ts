import { isReading } from '../idempotency/reading-tools.ts';
import type { CallRecord } from './call.ts';
import type { CallMachineState } from './call-state.ts';
import type { CallData } from './transition.ts';

/** Somebody who waits for a call: until it has ended, or until the person is asked about it. */
export interface Waiter {
  until: 'ended' | 'asked';
  resolve(record: CallRecord): void;
  reject(error: unknown): void;
}

/** A call that has not ended, and who waits for it here. */
export interface OpenCall {
  data: CallData;
  /** Its tool only reads: what it does and gives need not wait for a sync of the disk. */
  readonly reads: boolean;
  readonly waiters: Set<Waiter>;
  cancelTimer(): void;
}

/** The first state of a call. */
export const newCall = (record: CallRecord): CallData => ({
  record,
  state: { kind: 'pending', endsAt: record.endsAt, delivered: false, decision: null },
  asked: new Set(),
  answered: { askId: null, reach: null },
});

export const toOpenCall = (data: CallData): OpenCall => ({
  data,
  reads: isReading(data.record.tool),
  waiters: new Set(),
  cancelTimer: () => {},
});

/** Tells those who wait for no more than this state, and lets them go. */
export const notifyWaiters = (waiters: Set<Waiter>, state: CallMachineState, record: CallRecord): void => {
  const asked = state.kind === 'awaiting-confirmation';
  for (const waiter of [...waiters]) {
    if (state.kind !== 'ended' && !(asked && waiter.until === 'asked')) continue;
    waiters.delete(waiter);
    waiter.resolve(record);
  }
};
