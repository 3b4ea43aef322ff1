import type { DaemonEvent } from '@drawbridge/contracts/daemon-event';
import { createKeyedQueue, type Clock } from '@drawbridge/kit';
import { nextConnection, type ConnectionEffect, type ConnectionEvent } from './connection-state.ts';
import type { DaemonStream } from './daemon-stream.ts';
import type { GatewayLimits } from '../limits.ts';
import type { MachinesStore } from '../machines/machines.store.ts';
import type { Bus } from '../bus.ts';
import type { Streams } from './streams.ts';
import { createProbe, type Probe } from './probe.ts';
import type { Machine } from '../machines/registry.ts';

/** Runs the connections' state machine: streams, grace timers, and who hears of it. Specification 7. */
export interface Connections {
  /** An init was taken and written down; `replaces` when it was another daemon's than the one before. */
  initialised(machine: Machine, init: { replaces: boolean }): void;
  /** Attaches a stream, the newest wins; the returned function says that it has closed. */
  open(machine: Machine, stream: DaemonStream): () => void;
  /** Tells a stream of an older epoch that it was replaced, and closes it. */
  refuse(stream: DaemonStream): () => void;
  /** The daemon has answered a probe of its stream. */
  answered(machine: Machine, probeId: number): void;
  /** What a user sees of the machine has changed. */
  announce(machine: Machine): void;
  /** Ends the connection on purpose. */
  disconnect(machine: Machine, reason: 'user' | 'replaced'): void;
  /** The daemon has ended by itself and will be back: offline without a grace. */
  leave(machine: Machine): void;
  /** The server is back, and the machine was connected when it stopped. */
  restarted(machine: Machine): void;
  /** Tells daemons to come back later where they understand it, and closes every stream. */
  stop(): Promise<void>;
}

export interface ConnectionsNeeds {
  clock: Clock;
  limits: GatewayLimits;
  store: MachinesStore;
  bus: Bus;
  streams: Streams;
  /** What follows for the machine's calls. */
  calls: {
    /** The machine has a stream: calls that wait can be written. */
    attached(machineId: string): void;
    /** Another daemon speaks for the machine now. */
    replaced(machineId: string): void;
    /** The machine is no longer connected; `explicit` when a person ended it. */
    gone(machineId: string, explicit: boolean): void;
  };
  onError(error: unknown): void;
}

interface Held {
  machine: Machine;
  stream: DaemonStream;
  probe: Probe;
  release(): void;
  nextFrame(): number;
}

export const createConnections = (needs: ConnectionsNeeds): Connections => {
  const { clock, limits, store, bus, streams, calls, onError } = needs;
  const held = new Map<number, Held>();
  const graces = new Map<string, () => void>();
  const queue = createKeyedQueue();
  let generations = 0;

  /** What is written last is what holds then, however many changes came meanwhile. */
  const saveConnected = (machine: Machine) => {
    queue.run(machine.id, () => store.setConnected(machine.id, machine.info)).catch(onError);
  };

  const setConnected = (machine: Machine, connectedAt: number | null) => {
    const lastSeenAt = connectedAt === null ? (machine.info.lastSeenAt ?? clock.now()) : null;
    machine.info = { ...machine.info, connectedAt, lastSeenAt };
    saveConnected(machine);
  };

  const stopWaiting = (machineId: string) => {
    graces.get(machineId)?.();
    graces.delete(machineId);
  };

  const letGo = (generation: number) => {
    const stream = held.get(generation);
    held.delete(generation);
    stream?.release();
    stream?.probe.stop();
    return stream;
  };

  const announce = (machine: Machine) =>
    bus.publish(`user:${machine.userId}`, { type: 'machine-changed', userId: machine.userId });

  const perform = (machine: Machine, effect: ConnectionEffect): void => {
    switch (effect.type) {
      case 'wait': {
        stopWaiting(machine.id);
        const expire = () => {
          graces.delete(machine.id);
          dispatch(machine, { type: 'grace-expired' });
        };
        graces.set(machine.id, clock.after(effect.ms, expire));
        return;
      }
      case 'stop-waiting':
        return stopWaiting(machine.id);
      case 'close-stream': {
        const closing = letGo(effect.generation);
        if (effect.reason !== null)
          closing?.stream.send(closing.nextFrame(), {
            type: 'gateway-disconnect',
            payload: { reason: effect.reason },
          });
        closing?.stream.close();
        return;
      }
      case 'attached':
        return calls.attached(machine.id);
      case 'replaced':
        return calls.replaced(machine.id);
      case 'gone':
        return calls.gone(machine.id, effect.explicit);
      case 'announce':
        return announce(machine);
      default:
        effect satisfies never;
    }
  };

  const dispatch = (machine: Machine, event: ConnectionEvent): void => {
    const wasOffline = machine.connection.kind === 'offline';
    const wasOnline = machine.connection.kind === 'online';
    const { state, effects } = nextConnection(machine.connection, event, limits);
    machine.connection = state;
    const isOffline = state.kind === 'offline';
    if (wasOnline || state.kind === 'online')
      machine.info = { ...machine.info, lastSeenAt: state.kind === 'online' ? null : clock.now() };
    if (isOffline && !wasOffline) setConnected(machine, null);
    if (wasOffline && !isOffline && machine.info.connectedAt === null) setConnected(machine, clock.now());
    for (const effect of effects) perform(machine, effect);
  };

  return {
    announce,
    initialised: (machine, { replaces }) => {
      dispatch(machine, { type: 'init', replaces });
      saveConnected(machine);
    },
    open: (machine, stream) => {
      generations += 1;
      const generation = generations;
      let frame = 0;
      const nextFrame = () => (frame += 1);
      const closed = () => {
        letGo(generation);
        dispatch(machine, { type: 'stream-closed', generation });
      };
      const write = (event: DaemonEvent) => stream.send(nextFrame(), event);
      const release = streams.register(machine.id, { write, ready: stream.ready });
      const probe = createProbe({
        clock,
        limits,
        send: (id) => write({ type: 'probe', payload: { id } }),
        dead: () => {
          stream.close();
          closed();
        },
      });
      held.set(generation, { machine, stream, probe, release, nextFrame });
      if (machine.info.daemon?.features.includes('probe')) probe.start();
      dispatch(machine, { type: 'stream-opened', generation });
      return closed;
    },
    refuse: (stream) => {
      stream.send(1, { type: 'gateway-disconnect', payload: { reason: 'replaced' } });
      stream.close();
      return () => {};
    },
    answered: ({ connection }, probeId) => {
      if (connection.kind === 'online') held.get(connection.generation)?.probe.answered(probeId);
    },
    disconnect: (machine, reason) => dispatch(machine, { type: 'disconnected', reason }),
    leave: (machine) => dispatch(machine, { type: 'left' }),
    restarted: (machine) => dispatch(machine, { type: 'restarted' }),
    stop: async () => {
      for (const machineId of [...graces.keys()]) stopWaiting(machineId);
      for (const [generation, { machine, stream, nextFrame }] of [...held]) {
        letGo(generation);
        // A daemon that says nothing of itself quits for good on this event, whatever its reason.
        if (machine.info.daemon !== null) {
          stream.send(nextFrame(), { type: 'gateway-disconnect', payload: { reason: 'shutdown' } });
        }
        machine.connection = { kind: 'offline', expiries: machine.connection.expiries };
        stream.close();
      }
      await queue.settled();
    },
  };
};
