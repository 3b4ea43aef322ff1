import { isReading } from '../idempotency/reading-tools.ts';
import type { CallRecord } from './call.ts';
import type { CallMachineState } from './call-state.ts';
import type { CallWrite } from './store/transitions.store.ts';
import type { CallData, CallEvent } from './transition.ts';

/** A waiter for the end of a call, or for its first question. */
export interface Waiter {
  until: 'ended' | 'asked';
  resolve(record: CallRecord): void;
  reject(error: unknown): void;
}

/** An open call with its waiters on this server. */
export interface OpenCall {
  data: CallData;
  /** The tool only reads, so its writes need no disk sync. */
  readonly reads: boolean;
  readonly waiters: Set<Waiter>;
  /** Its machine has answered, and the store could not be written. */
  isUnstored: boolean;
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
  isUnstored: false,
  cancelTimer: () => {},
});

/** Resolves the waiters of this state. */
export const notifyWaiters = (waiters: Set<Waiter>, state: CallMachineState, record: CallRecord): void => {
  const asked = state.kind === 'awaiting-confirmation';
  for (const waiter of [...waiters]) {
    if (state.kind !== 'ended' && !(asked && waiter.until === 'asked')) continue;
    waiters.delete(waiter);
    waiter.resolve(record);
  }
};

/**
 * A question may be lost with the power: its daemon asks again. What a person decided, and what changes
 * something, may not.
 */
export const durabilityOf = ({ reads }: OpenCall, event: CallEvent, writes: readonly CallWrite[]) => {
  if (event.type === 'asked') return 'kept';
  const [only, second] = writes;
  const endsAlone = second === undefined && only?.type === 'update-call' && only.record.endedAt !== null;
  return reads && endsAlone ? 'kept' : 'synced';
};
