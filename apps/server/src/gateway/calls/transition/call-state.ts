import type { TerminalCallState } from '@drawbridge/contracts/calls';
import type { CancelReason } from '@drawbridge/contracts/daemon-event';
import type { ErrorName } from '@drawbridge/contracts/errors';
import { isDenial, type Decision } from '@drawbridge/contracts/groups';
import type { GoneWhy } from '../../machines/connection-state.ts';

/**
 * `endsAt` is the latest end, `deadlineAt` the end if the daemon stays silent. Neither runs while a
 * confirmation is open (`leftMs` is the rest). `delivered`: the daemon has the call.
 */
export type OpenCallState =
  | { kind: 'pending'; endsAt: number; delivered: boolean; decision: Decision | null }
  | { kind: 'delivered'; endsAt: number; deadlineAt: number; decision: Decision | null }
  | { kind: 'awaiting-confirmation'; confirmationId: string; expiresAt: number; leftMs: number };

/**
 * How a call ended. `error` names the row of the errors' table that its caller reads; null when the daemon's
 * answer says it.
 */
export interface CallEnd {
  kind: 'ended';
  end: TerminalCallState;
  error: ErrorName | null;
  started: boolean | null;
}

export type CallMachineState = OpenCallState | CallEnd;

export type CallMachineEvent =
  | { type: 'dispatched'; at: number }
  /** That stream closed before the frame was written. */
  | { type: 'unsent'; stream: number }
  | { type: 'progressed'; at: number }
  | { type: 'asked'; at: number; confirmationId: string; expiresAt: number }
  | { type: 'answered'; end: TerminalCallState; started: boolean | null }
  | { type: 'decided'; at: number; decision: Decision }
  /** Denied without a decision. */
  | { type: 'refused'; at: number }
  /** `message`: what the caller reads, where that says more than that it was cancelled. */
  | { type: 'cancelled'; reason: CancelReason; message?: string }
  | { type: 'disconnected'; why: GoneWhy }
  /** Another daemon replaced the machine's; the former one may still finish its work. */
  | { type: 'replaced' }
  | { type: 'due'; at: number };

export type CallEffect =
  | { type: 'dispatch' }
  | { type: 'stop'; reason: CancelReason }
  /** Closes the open confirmation without an answer. */
  | { type: 'close-confirmation'; as: 'withdrawn' | 'expired' };

/**
 * `silenceMs`: how long its daemon may say nothing of it. `outlives`: the states in which it waits as long
 * for a machine that is away.
 */
export interface CallLimits {
  silenceMs: number;
  outlives: readonly OpenCallState['kind'][];
}

export interface CallStep {
  state: CallMachineState;
  effects: CallEffect[];
}

/** When `due` must come. */
export const dueAt = (state: OpenCallState): number => {
  switch (state.kind) {
    case 'pending':
      return state.endsAt;
    case 'delivered':
      return Math.min(state.endsAt, state.deadlineAt);
    case 'awaiting-confirmation':
      return state.expiresAt;
    default:
      return state satisfies never;
  }
};

const startedOf = (state: OpenCallState): boolean | null =>
  state.kind === 'awaiting-confirmation' || (state.kind === 'pending' && !state.delivered) ? false : null;

/** Ends a call without an answer; a denied call always ends as denied. */
const endWithout = (
  state: OpenCallState,
  end: 'timed-out' | 'failed' | 'cancelled',
  error: ErrorName,
): CallEnd =>
  state.kind !== 'awaiting-confirmation' && isDenial(state.decision)
    ? { kind: 'ended', end: 'denied', error: 'denied', started: false }
    : { kind: 'ended', end, error, started: startedOf(state) };

const withdrawn = (state: OpenCallState): CallEffect[] =>
  state.kind === 'awaiting-confirmation' ? [{ type: 'close-confirmation', as: 'withdrawn' }] : [];

const stop = (state: OpenCallState, reason: CancelReason): CallEffect[] =>
  state.kind === 'pending' && !state.delivered ? [] : [{ type: 'stop', reason }];

const answered = (
  state: OpenCallState,
  event: { end: TerminalCallState; started: boolean | null },
): CallStep => {
  if (state.kind === 'pending' && !state.delivered) return { state, effects: [] };
  const denied = event.end === 'failed' && state.kind !== 'awaiting-confirmation' && isDenial(state.decision);
  const end: CallEnd = {
    kind: 'ended',
    end: denied ? 'denied' : event.end,
    error: null,
    started: denied ? false : event.started,
  };
  return { state: end, effects: withdrawn(state) };
};

const due = (state: OpenCallState, at: number): CallStep => {
  if (at < dueAt(state)) return { state, effects: [] };
  if (state.kind !== 'awaiting-confirmation') {
    return { state: endWithout(state, 'timed-out', 'timedOut'), effects: stop(state, 'timeout') };
  }
  return {
    state: { kind: 'ended', end: 'denied', error: 'denied', started: false },
    effects: [
      { type: 'close-confirmation', as: 'expired' },
      { type: 'stop', reason: 'timeout' },
    ],
  };
};

const disconnected = (state: OpenCallState, why: GoneWhy, { outlives }: CallLimits): CallStep => {
  // What the person is being asked, or has answered, outlives a dropped connection.
  const keeps =
    state.kind === 'awaiting-confirmation' || (state.kind === 'pending' && state.decision !== null);
  if (keeps && why !== 'ended') return { state, effects: [] };
  if (why === 'silent' && outlives.includes(state.kind)) return { state, effects: [] };
  return { state: endWithout(state, 'failed', 'disconnected'), effects: withdrawn(state) };
};

/** The state that follows from an event. Pure. Specification 6. */
export const nextState = (state: CallMachineState, event: CallMachineEvent, limits: CallLimits): CallStep => {
  const same: CallStep = { state, effects: [] };
  if (state.kind === 'ended') return same;
  switch (event.type) {
    case 'dispatched': {
      if (state.kind === 'awaiting-confirmation') return same;
      const { endsAt, decision } = state;
      return {
        state: { kind: 'delivered', endsAt, decision, deadlineAt: event.at + limits.silenceMs },
        effects: [],
      };
    }
    case 'unsent': {
      if (state.kind !== 'delivered') return same;
      const { endsAt, decision } = state;
      return { state: { kind: 'pending', endsAt, decision, delivered: decision !== null }, effects: [] };
    }
    case 'progressed':
      if (state.kind !== 'delivered') return same;
      return { state: { ...state, deadlineAt: event.at + limits.silenceMs }, effects: [] };
    case 'asked': {
      if (state.kind !== 'delivered') return same;
      const { confirmationId, expiresAt } = event;
      const leftMs = Math.max(0, state.endsAt - event.at);
      return { state: { kind: 'awaiting-confirmation', confirmationId, expiresAt, leftMs }, effects: [] };
    }
    case 'answered':
      return answered(state, event);
    case 'decided': {
      if (state.kind !== 'awaiting-confirmation' || event.at >= state.expiresAt) return same;
      const { decision } = event;
      return {
        state: { kind: 'pending', endsAt: event.at + state.leftMs, delivered: true, decision },
        effects: [{ type: 'dispatch' }],
      };
    }
    case 'refused':
      if (state.kind !== 'awaiting-confirmation' || event.at >= state.expiresAt) return same;
      return {
        state: { kind: 'ended', end: 'denied', error: 'denied', started: false },
        // The daemon does not run the call; it only learns that its question is closed.
        effects: [{ type: 'stop', reason: 'user' }],
      };
    case 'cancelled':
      return {
        state: endWithout(state, 'cancelled', 'cancelled'),
        effects: [...withdrawn(state), ...stop(state, event.reason)],
      };
    case 'disconnected':
      return disconnected(state, event.why, limits);
    case 'replaced': {
      const asked = state.kind === 'awaiting-confirmation' || (state.kind === 'pending' && state.delivered);
      return asked ? disconnected(state, 'ended', limits) : same;
    }
    case 'due':
      return due(state, event.at);
    default:
      return event satisfies never;
  }
};
