import type { DaemonEvent } from '@drawbridge/contracts/daemon-event';
import { createKeyedQueue, type Clock } from '@drawbridge/kit';
import {
  nextConnection,
  type ConnectionEffect,
  type ConnectionEvent,
  type StoredConnection,
} from './connection-state.ts';
import type { DaemonStream } from './daemon-stream.ts';
import type { GatewayLimits } from '../limits.ts';
import type { MachinesStore, StoredMachine } from '../machines/machines.store.ts';
import type { StreamOwner } from '../machines/stream-owners.store.ts';
import type { Bus } from '../bus.ts';
import type { Streams } from './streams.ts';
import { createProbe, type Probe } from './probe.ts';
import type { Machine } from '../machines/registry.ts';

/** Runs the connections' state machine: streams, grace timers, and who hears of it. Specification 7. */
export interface Connections {
  /** An init was taken and written down; `replaces` when it was another daemon's than the one before. */
  initialised(machine: Machine, init: { replaces: boolean }): void;
  /**
   * Attaches a stream, the newest wins; the returned function says that it has closed. A stream of an older
   * epoch is told that
   * it was replaced, and closed.
   */
  open(machine: Machine, opened: { stream: DaemonStream; epoch: number }): Promise<() => void>;
  /** The daemon has answered a probe of its stream. */
  answered(machine: Machine, probeId: number): void;
  /** The row of the machine has changed, and what a user sees of it. */
  announce(machine: Machine): void;
  /** Reads the machine again: another server has changed it. */
  refresh(machineId: string): Promise<void>;
  /** Finds the machines that other servers have changed, where messages may be lost. */
  poll(): Promise<void>;
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
  adopt(stored: StoredMachine): Machine;
  /** The machines in memory. */
  machines(): Machine[];
  /** Another server has changed what is stored of a machine of that user. */
  onOthersStored(userId: string): void;
  onError(error: unknown): void;
}

interface Held {
  machine: Machine;
  generation: number;
  stream: DaemonStream;
  probe: Probe;
  release(): void;
  nextFrame(): number;
}

export const createConnections = (needs: ConnectionsNeeds): Connections => {
  const { clock, limits, store, bus, streams, calls, onError } = needs;
  const held = new Map<string, Held>();
  const keyOf = (machine: Machine, generation: number) => `${machine.id} ${generation}`;
  const graces = new Map<string, () => void>();
  const queue = createKeyedQueue();

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

  const release = (machine: Machine, generation: number) => {
    const stream = held.get(keyOf(machine, generation));
    held.delete(keyOf(machine, generation));
    stream?.release();
    stream?.probe.stop();
    return stream;
  };

  const announceHere = ({ userId }: Machine) =>
    bus.publish(`user:${userId}`, { type: 'machine-changed', userId });
  const announce = (machine: Machine) => {
    const { id, userId } = machine;
    bus.publish('all', { type: 'machine-stored', userId, machineId: id, by: bus.here });
    announceHere(machine);
  };

  const perform = (machine: Machine, effect: ConnectionEffect): void => {
    switch (effect.type) {
      case 'wait': {
        stopWaiting(machine.id);
        const expire = () => {
          graces.delete(machine.id);
          expireGrace(machine).catch(onError);
        };
        graces.set(machine.id, clock.after(effect.ms, expire));
        return;
      }
      case 'stop-waiting':
        return stopWaiting(machine.id);
      case 'close-stream': {
        const closing = release(machine, effect.generation);
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
    const isStored = event.type === 'stored' || event.type === 'grace-expired';
    if (isOffline && !wasOffline && !isStored) setConnected(machine, null);
    if (wasOffline && !isOffline && !isStored && machine.info.connectedAt === null)
      setConnected(machine, clock.now());
    for (const effect of effects)
      if (event.type === 'stored' && effect.type === 'announce') announceHere(machine);
      else perform(machine, effect);
  };

  const storedConnection = ({
    connectedAt,
    serverId,
  }: Pick<Machine['info'], 'connectedAt' | 'serverId'>): StoredConnection => {
    if (connectedAt === null) return { kind: 'offline' };
    return serverId === null || serverId === bus.here ? { kind: 'waiting' } : { kind: 'elsewhere', serverId };
  };

  const isHere = ({ connection }: Machine, { stream, serverId }: StreamOwner) =>
    connection.kind === 'online' && connection.generation === stream && serverId === bus.here;

  const isCurrent = (machine: Machine, row: StreamOwner & { epoch: number; connectedAt: number | null }) => {
    const { info, connection } = machine;
    if (row.epoch !== info.epoch || row.stream !== info.stream) return false;
    return isHere(machine, row) || storedConnection(row).kind === connection.kind;
  };

  /** What was written of the machine here comes first. */
  const refresh = (machineId: string) =>
    queue.run(machineId, async () => {
      const stored = await store.byId(machineId);
      if (!stored) return;
      const machine = needs.adopt(stored);
      if (isHere(machine, stored.info)) return;
      dispatch(machine, { type: 'stored', connection: storedConnection(stored.info) });
    });

  /** Stores a change of the newest stream, or reads what another server has stored meanwhile. */
  const change = async (machine: Machine, write: () => Promise<boolean>): Promise<boolean> => {
    const isWritten = await queue.run(machine.id, write);
    if (!isWritten) await refresh(machine.id);
    return isWritten;
  };

  const expireGrace = async (machine: Machine) => {
    const lastSeenAt = machine.info.lastSeenAt ?? clock.now();
    const closed = { stream: machine.info.stream, serverId: bus.here, lastSeenAt };
    const isExpired = await change(machine, () => store.expire(machine.id, closed));
    if (!isExpired || machine.connection.kind !== 'waiting') return;
    machine.info = { ...machine.info, connectedAt: null, lastSeenAt, serverId: null };
    dispatch(machine, { type: 'grace-expired' });
  };

  /** The number of the new stream; null where another daemon speaks for the machine now. */
  const attach = async (machine: Machine, epoch: number): Promise<number | null> => {
    while (epoch >= machine.info.epoch) {
      const next = { epoch: machine.info.epoch, stream: machine.info.stream + 1, serverId: bus.here };
      const isAttached = await change(machine, async () => {
        if (next.stream !== machine.info.stream + 1) return false;
        const isStored = await store.attach(machine.id, next);
        if (isStored) machine.info = { ...machine.info, stream: next.stream, serverId: next.serverId };
        return isStored;
      });
      if (isAttached) return next.stream;
    }
    return null;
  };

  const detach = (machine: Machine) => {
    const closed = { stream: machine.info.stream, lastSeenAt: machine.info.lastSeenAt ?? clock.now() };
    change(machine, () => store.detach(machine.id, closed)).catch(onError);
  };

  const closeStream = (machine: Machine, generation: number) => {
    release(machine, generation);
    const { connection } = machine;
    dispatch(machine, { type: 'stream-closed', generation });
    if (connection.kind === 'online' && connection.generation === generation) detach(machine);
  };

  const refuse = (stream: DaemonStream) => {
    stream.send(1, { type: 'gateway-disconnect', payload: { reason: 'replaced' } });
    stream.close();
    return () => {};
  };

  const unsubscribe = bus.subscribe('all', (message) => {
    if (message.type !== 'machine-stored' || message.by === bus.here) return;
    needs.onOthersStored(message.userId);
    if (needs.machines().some(({ id }) => id === message.machineId))
      refresh(message.machineId).catch(onError);
  }).stop;

  return {
    announce,
    initialised: (machine, { replaces }) => {
      dispatch(machine, { type: 'init', replaces });
      saveConnected(machine);
    },
    open: async (machine, { stream, epoch }) => {
      let isClosed = false;
      const generation = await attach(machine, epoch);
      if (generation === null) return refuse(stream);
      let frame = 0;
      const nextFrame = () => (frame += 1);
      const closed = () => {
        if (isClosed) return;
        isClosed = true;
        closeStream(machine, generation);
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
      held.set(keyOf(machine, generation), { machine, generation, stream, probe, release, nextFrame });
      if (machine.info.daemon?.features.includes('probe')) probe.start();
      dispatch(machine, { type: 'stream-opened', generation });
      return closed;
    },
    refresh,
    poll: async () => {
      const machines = new Map(needs.machines().map((machine) => [machine.id, machine]));
      for (const row of await store.owners([...machines.keys()])) {
        const machine = machines.get(row.id);
        if (machine && !isCurrent(machine, row)) await refresh(row.id);
      }
    },
    answered: (machine, probeId) => {
      const { connection } = machine;
      if (connection.kind === 'online')
        held.get(keyOf(machine, connection.generation))?.probe.answered(probeId);
    },
    disconnect: (machine, reason) => dispatch(machine, { type: 'disconnected', reason }),
    leave: (machine) => dispatch(machine, { type: 'left' }),
    restarted: (machine) => {
      // The server that had its stream was this one, before it was started again.
      if (bus.pollMs === null) detach(machine);
      dispatch(machine, { type: 'restarted' });
    },
    stop: async () => {
      for (const machineId of [...graces.keys()]) stopWaiting(machineId);
      unsubscribe();
      for (const { machine, generation, stream, nextFrame } of [...held.values()]) {
        release(machine, generation);
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
