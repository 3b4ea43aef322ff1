import type { DisconnectReason } from '@drawbridge/contracts/daemon-event';
import { exponential } from '@drawbridge/kit';
import { retryRange } from './retry-range.ts';

/** `refused` (401, 403) and `server-error` (500) count as auth failures. Specification 7. */
export interface Failure {
  kind: 'refused' | 'server-error' | 'network' | 'redirect';
  sentence: string;
  code?: string;
}

interface Course {
  /** A pairing token works once; a session key until explicit disconnect. */
  keyKind: 'pairing' | 'session';
  everPaired: boolean;
  /** Failures since the stream was last open, of the network and of the key. */
  networkFailures: number;
  authFailures: number;
}

/**
 * `stopped`: this process ends. `left`: so does the pairing, at a server that knows no other way. `user`: the
 * pairing was ended.
 */
export type Ending =
  | { reason: 'stopped' | 'left' | 'user' | 'replaced' }
  | { reason: 'failed'; failure: Failure };

export type Connection =
  | { kind: 'idle' }
  | { kind: 'initialising'; course: Course }
  | { kind: 'opening'; course: Course }
  | { kind: 'online'; course: Course }
  | { kind: 'waiting'; then: 'initialise' | 'open'; course: Course }
  | { kind: 'unpaired'; course: Course }
  | { kind: 'ended'; ending: Ending };

export type ConnectionEvent =
  | { type: 'key-given'; keyKind: Course['keyKind'] }
  | { type: 'initialised' }
  | { type: 'opened' }
  | { type: 'failed'; failure: Failure }
  | { type: 'waited' }
  /** The server knows the key but not the last init. */
  | { type: 'unknown-here' }
  | { type: 'disconnected'; reason: DisconnectReason }
  | { type: 'stop' };

export type ConnectionEffect =
  | { type: 'initialise' }
  | { type: 'open' }
  | { type: 'release' }
  /** Wait for anything from 0 to `ceilingMs`, then say `waited`. */
  | { type: 'wait'; ceilingMs: number; sentence: string }
  /** The key no longer holds: `onPersistentFailure`. */
  | { type: 'ask-for-token'; failure: Failure }
  /** Tell the server that this machine goes offline. */
  | { type: 'leave' }
  | { type: 'end'; ending: Ending };

export interface Step {
  state: Connection;
  effects: ConnectionEffect[];
}

const maxAuthFailures = 5;

const stay = (state: Connection): Step => ({ state, effects: [] });

const end = (ending: Ending, first: ConnectionEffect[] = []): Step => ({
  state: { kind: 'ended', ending },
  effects: [{ type: 'release' }, ...first, { type: 'end', ending }],
});

const unpaired = (course: Course, failure: Failure): Step => ({
  state: { kind: 'unpaired', course },
  effects: [{ type: 'release' }, { type: 'ask-for-token', failure }],
});

const wait = (
  then: 'initialise' | 'open',
  course: Course,
  failure: { sentence: string; earlier: number },
): Step => ({
  state: { kind: 'waiting', then, course },
  effects: [
    { type: 'release' },
    { type: 'wait', ceilingMs: exponential(failure.earlier, retryRange), sentence: failure.sentence },
  ],
});

const authFailed = (course: Course, failure: Failure): Step => {
  const authFailures = course.authFailures + 1;
  const next = { ...course, authFailures };
  const usedUp = course.keyKind === 'pairing' && failure.kind === 'refused';
  if (usedUp || authFailures >= maxAuthFailures) return unpaired(next, failure);
  return wait('initialise', next, { sentence: failure.sentence, earlier: course.authFailures });
};

const failed = (state: { course: Course }, failure: Failure, then: 'initialise' | 'open'): Step => {
  const { course } = state;
  if (failure.kind === 'refused' || failure.kind === 'server-error') return authFailed(course, failure);
  // Nothing has ever worked with this address and token: the user who typed them still reads the output.
  if (!course.everPaired && course.keyKind === 'pairing') return end({ reason: 'failed', failure });
  const next = { ...course, networkFailures: course.networkFailures + 1 };
  return wait(then, next, { sentence: failure.sentence, earlier: course.networkFailures });
};

const disconnected = (state: { course: Course }, reason: DisconnectReason): Step => {
  switch (reason) {
    case 'shutdown':
      return wait('initialise', state.course, { sentence: 'the server is restarting', earlier: 0 });
    case 'user':
    case 'replaced':
      return end({ reason });
    default:
      return reason satisfies never;
  }
};

const hasSession = (state: Connection): boolean =>
  'course' in state && state.kind !== 'unpaired' && state.course.keyKind === 'session';

const begin = (course: Course): Step => ({
  state: { kind: 'initialising', course },
  effects: [{ type: 'initialise' }],
});

const unknownHere = (state: Connection): Step => {
  if (state.kind === 'waiting') return stay({ ...state, then: 'initialise' });
  if (state.kind !== 'opening' && state.kind !== 'online') return stay(state);
  return {
    state: { kind: 'initialising', course: state.course },
    effects: [{ type: 'release' }, { type: 'initialise' }],
  };
};

const giveKey = (state: Connection, keyKind: Course['keyKind']): Step => {
  if (state.kind === 'idle')
    return begin({ keyKind, everPaired: false, networkFailures: 0, authFailures: 0 });
  if (state.kind === 'unpaired')
    return begin({ ...state.course, keyKind, networkFailures: 0, authFailures: 0 });
  return stay(state);
};

const initialised = (state: Connection): Step => {
  if (state.kind !== 'initialising') return stay(state);
  const course: Course = { ...state.course, keyKind: 'session', everPaired: true };
  return { state: { kind: 'opening', course }, effects: [{ type: 'open' }] };
};

const opened = (state: Connection): Step => {
  if (state.kind !== 'opening') return stay(state);
  return stay({ kind: 'online', course: { ...state.course, networkFailures: 0, authFailures: 0 } });
};

const onFailed = (state: Connection, failure: Failure): Step => {
  if (state.kind === 'initialising') return failed(state, failure, 'initialise');
  if (state.kind === 'opening' || state.kind === 'online') return failed(state, failure, 'open');
  return stay(state);
};

const waited = (state: Connection): Step => {
  if (state.kind !== 'waiting') return stay(state);
  if (state.then === 'initialise') return begin(state.course);
  return { state: { kind: 'opening', course: state.course }, effects: [{ type: 'open' }] };
};

/** The daemon's side of specification 7: pure; a runner does the effects and says what came of them. */
export const next = (state: Connection, event: ConnectionEvent): Step => {
  if (state.kind === 'ended') return stay(state);
  switch (event.type) {
    case 'key-given':
      return giveKey(state, event.keyKind);
    case 'initialised':
      return initialised(state);
    case 'opened':
      return opened(state);
    case 'failed':
      return onFailed(state, event.failure);
    case 'waited':
      return waited(state);
    case 'unknown-here':
      return unknownHere(state);
    case 'disconnected':
      return state.kind === 'online' ? disconnected(state, event.reason) : stay(state);
    case 'stop':
      return end({ reason: 'stopped' }, hasSession(state) ? [{ type: 'leave' }] : []);
    default:
      return event satisfies never;
  }
};
