import type { CallVia } from '@drawbridge/contracts/calls';
import { createTransientMap } from '@drawbridge/kit';
import { isReading, type CallRecord } from '../call.ts';
import type { CallMachineState } from '../transition/call-state.ts';
import type { CallWrite } from '../store/call-write.ts';
import type { CallData, CallEvent } from '../transition/transition.ts';

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
  if (!reads || !endsAlone) return 'synced';
  return event.type === 'answered' ? 'trailing' : 'lazy';
};

/** Whose calls are counted: all of a user, or those that came through one token or client. */
export interface Caller {
  userId: string;
  via?: CallVia | null;
}

const nameOf = ({ userId, via }: Caller): string => (via ? `${userId} ${via.kind} ${via.id}` : userId);

/** The open calls in the memory of this server, counted for each user and each token or client. */
export const createHeldCalls = () => {
  const calls = createTransientMap<string, OpenCall>();
  const counts = createTransientMap<string, number>();
  const count = (name: string, by: 1 | -1) => {
    const now = (counts.get(name) ?? 0) + by;
    if (now > 0) counts.set(name, now);
    else counts.delete(name);
  };
  const countBoth = (caller: Caller, by: 1 | -1) => {
    count(caller.userId, by);
    if (caller.via) count(nameOf(caller), by);
  };
  const put = (call: OpenCall) => {
    const { record } = call.data;
    if (calls.has(record.requestId)) return;
    calls.set(record.requestId, call);
    countBoth(record, 1);
  };
  return {
    add: (data: CallData): OpenCall => {
      const call = toOpenCall(data);
      put(call);
      return call;
    },
    /** Back to the others, where it could not be stored as ended. */
    put,
    remove: ({ data: { record } }: OpenCall) => {
      if (calls.delete(record.requestId)) countBoth(record, -1);
    },
    get: (requestId: string): OpenCall | undefined => calls.get(requestId),
    has: (call: OpenCall): boolean => calls.get(call.data.record.requestId) === call,
    ids: (): string[] => [...calls.keys()],
    all: (): OpenCall[] => [...calls.values()],
    ofMachine: (machineId: string): OpenCall[] =>
      [...calls.values()].filter(({ data }) => data.record.machineId === machineId),
    /** How many there are of the token or client where `via` names one, else of the user. */
    count: (caller: Caller): number => counts.get(nameOf(caller)) ?? 0,
  };
};

export type HeldCalls = ReturnType<typeof createHeldCalls>;
