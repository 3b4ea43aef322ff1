import type { DisconnectReason } from '@drawbridge/contracts/daemon-event';
import { exponential } from '@drawbridge/kit';

/**
 * Whether a machine has a stream. `waiting`: connected, without a stream, while the grace runs. `expiries`
 * counts the graces that ran out since the last init. Specification 7.
 */
export type ConnectionState =
  | { kind: 'offline'; expiries: number }
  | { kind: 'waiting'; expiries: number }
  | { kind: 'online'; expiries: number; generation: number }
  /** Another server has the stream. */
  | { kind: 'elsewhere'; expiries: number; serverId: string };

/** `silent`: its daemon may be at work. `left`: that has ended, for now. `ended`: the session has ended. */
export type GoneWhy = 'silent' | 'left' | 'ended';

export type ConnectionEvent =
  /** `replaces`: it speaks for another daemon than the one before. */
  | { type: 'init'; replaces: boolean }
  /** `isSameDaemon`: it is a reconnect of the daemon that the machine has. */
  | { type: 'stream-opened'; generation: number; isSameDaemon: boolean }
  | { type: 'stream-closed'; generation: number }
  | { type: 'grace-expired' }
  | { type: 'disconnected'; reason: Exclude<DisconnectReason, 'shutdown'> }
  /** The daemon has exited and will reconnect. */
  | { type: 'left' }
  /** The server is back, and the machine was connected when it stopped. */
  | { type: 'restarted' }
  /** What another server has stored. */
  | { type: 'stored'; connection: StoredConnection };

export type ConnectionEffect =
  | { type: 'wait'; ms: number }
  | { type: 'stop-waiting' }
  /** Without a reason the daemon gets no notice: it knows. */
  | { type: 'close-stream'; generation: number; reason: DisconnectReason | null }
  /** Calls that wait can be written now. */
  | { type: 'attached' }
  /** Another daemon is here: it knows no request of the one before. */
  | { type: 'replaced' }
  /** Calls that wait have nothing more to wait for. */
  | { type: 'gone'; why: GoneWhy }
  | { type: 'announce' };

/** A connection as its row says, where this server does not have its stream. */
export type StoredConnection =
  | { kind: 'offline' }
  | { kind: 'waiting' }
  | { kind: 'elsewhere'; serverId: string };

/** What the row of a machine says of its connection. */
export interface StoredOwner {
  connectedAt: number | null;
  serverId: string | null;
}

/** The connection of a machine whose stream is not on the server `here`. */
export const storedConnection = ({ connectedAt, serverId }: StoredOwner, here: string): StoredConnection => {
  if (connectedAt === null) return { kind: 'offline' };
  return serverId === null || serverId === here ? { kind: 'waiting' } : { kind: 'elsewhere', serverId };
};

export interface GraceTimes {
  graceBaseMs: number;
  graceCapMs: number;
  restartGraceMs: number;
}

export interface ConnectionStep {
  state: ConnectionState;
  effects: ConnectionEffect[];
}

const graceMs = (expiries: number, times: GraceTimes) =>
  exponential(expiries, { baseMs: times.graceBaseMs, capMs: times.graceCapMs });

/** Ends the stream that is open here, or the grace. */
const release = (state: ConnectionState, reason: DisconnectReason | null): ConnectionEffect =>
  state.kind === 'online'
    ? { type: 'close-stream', generation: state.generation, reason }
    : { type: 'stop-waiting' };

const init = (state: ConnectionState, replaces: boolean, times: GraceTimes): ConnectionStep => {
  const wait: ConnectionEffect[] = [{ type: 'stop-waiting' }, { type: 'wait', ms: graceMs(0, times) }];
  const waiting: ConnectionState = { kind: 'waiting', expiries: 0 };
  const replaced: ConnectionEffect[] = replaces ? [{ type: 'replaced' }] : [];
  if (state.kind !== 'online') return { state: waiting, effects: [...replaced, ...wait] };
  // The daemon's own stream stays until a newer one opens: it may announce other tools over it.
  if (!replaces) return { state: { ...state, expiries: 0 }, effects: [{ type: 'announce' }] };
  const close = release(state, 'replaced');
  return { state: waiting, effects: [close, ...replaced, ...wait, { type: 'announce' }] };
};

const opened = (
  state: ConnectionState,
  { generation, isSameDaemon }: Extract<ConnectionEvent, { type: 'stream-opened' }>,
): ConnectionStep => {
  const isOnline = state.kind === 'online';
  if (isOnline && state.generation >= generation) return { state, effects: [] };
  return {
    state: { kind: 'online', expiries: state.expiries, generation },
    effects: [
      ...(isOnline ? [release(state, isSameDaemon ? null : 'replaced')] : []),
      { type: 'stop-waiting' },
      { type: 'announce' },
      { type: 'attached' },
    ],
  };
};

const closed = (state: ConnectionState, generation: number, times: GraceTimes): ConnectionStep => {
  if (state.kind !== 'online' || state.generation !== generation) return { state, effects: [] };
  return {
    state: { kind: 'waiting', expiries: state.expiries },
    effects: [{ type: 'wait', ms: graceMs(state.expiries, times) }, { type: 'announce' }],
  };
};

const disconnected = (state: ConnectionState, reason: DisconnectReason): ConnectionStep => {
  const gone = { type: 'gone', why: 'ended' } as const;
  if (state.kind === 'offline') return { state, effects: [gone] };
  return {
    state: { kind: 'offline', expiries: 0 },
    effects: [release(state, reason), gone, { type: 'announce' }],
  };
};

/** Here nothing is to be decided: the other server has ended what had to end. */
const stored = (state: ConnectionState, connection: StoredConnection): ConnectionStep => {
  if (state.kind === connection.kind && state.kind !== 'elsewhere') return { state, effects: [] };
  return {
    state: { ...connection, expiries: 0 },
    effects: [release(state, null), { type: 'announce' }],
  };
};

const left = (state: ConnectionState): ConnectionStep => {
  if (state.kind === 'offline') return { state, effects: [] };
  return {
    state: { kind: 'offline', expiries: 0 },
    effects: [release(state, null), { type: 'gone', why: 'left' }, { type: 'announce' }],
  };
};

/** What happens to a machine's connection. Pure: the runner does the effects, in their order. */
export const nextConnection = (
  state: ConnectionState,
  event: ConnectionEvent,
  times: GraceTimes,
): ConnectionStep => {
  switch (event.type) {
    case 'init':
      return init(state, event.replaces, times);
    case 'stream-opened':
      return opened(state, event);
    case 'stream-closed':
      return closed(state, event.generation, times);
    case 'grace-expired':
      if (state.kind !== 'waiting') return { state, effects: [] };
      return {
        state: { kind: 'offline', expiries: state.expiries + 1 },
        effects: [{ type: 'gone', why: 'silent' }, { type: 'announce' }],
      };
    case 'disconnected':
      return disconnected(state, event.reason);
    case 'left':
      return left(state);
    case 'restarted':
      if (state.kind !== 'offline') return { state, effects: [] };
      return {
        state: { kind: 'waiting', expiries: 0 },
        effects: [{ type: 'wait', ms: times.restartGraceMs }],
      };
    case 'stored':
      return stored(state, event.connection);
    default:
      return event satisfies never;
  }
};
