import type { DaemonEvent } from '@drawbridge/contracts/daemon-event';
import { createEmitter, createKeyedQueue, type Clock } from '@drawbridge/kit';
import { nextConnection, type ConnectionEffect, type ConnectionEvent } from '../machines/connection-state.ts';
import type { GatewayLimits } from '../limits.ts';
import type { MachinesStore } from '../machines/machines.store.ts';
import type { Bus } from '../bus.ts';
import type { DaemonStream, Streams } from './streams.ts';
import { createProbe, type Probe } from './probe.ts';
import type { Machine, Registry } from '../machines/registry.ts';
import { createStreamOwnership } from './stream-ownership.ts';

export interface ConnectionsNeeds {
  clock: Clock;
  limits: GatewayLimits;
  store: MachinesStore;
  bus: Bus;
  streams: Streams;
  registry: Pick<Registry, 'adopt' | 'loaded' | 'all' | 'refresh'>;
  log: { info(what: object, sentence: string): void };
  onError(error: unknown): void;
}

/** What the calls of a machine have to know. */
export type MachineChange =
  /** The machine has a stream: calls that wait can be written. */
  | { type: 'attached'; machineId: string }
  /** Another daemon speaks for the machine now. */
  | { type: 'replaced'; machineId: string }
  /** The machine is no longer connected; `explicit` when a person ended it. */
  | { type: 'gone'; machineId: string; explicit: boolean };

interface AttachedStream {
  machine: Machine;
  generation: number;
  stream: DaemonStream;
  probe: Probe;
  release(): void;
  nextFrame(): number;
}

/** Runs the connection state machine: streams, grace timers, subscribers. Specification 7. */
export const createConnections = (needs: ConnectionsNeeds) => {
  const { clock, limits, store, bus, streams, registry, log, onError } = needs;
  const changes = createEmitter<MachineChange>(onError);
  const attached = new Map<string, AttachedStream>();
  const keyOf = (machine: Machine, generation: number) => `${machine.id} ${generation}`;
  const graces = new Map<string, () => void>();
  const queue = createKeyedQueue();
  let isStopping = false;

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
    const stream = attached.get(keyOf(machine, generation));
    attached.delete(keyOf(machine, generation));
    stream?.release();
    stream?.probe.stop();
    return stream;
  };

  const announceHere = ({ userId }: Machine) =>
    bus.publish(`user:${userId}`, { type: 'machine-changed', userId });
  /** The row of the machine has changed, and what a user sees of it. */
  const announce = (machine: Machine) => {
    const { id, userId } = machine;
    // Other servers read the row, so they are told after what is being written of it.
    queue
      .run(id, async () =>
        bus.publish('all', { type: 'machine-stored', userId, machineId: id, by: bus.here }),
      )
      .catch(onError);
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
      case 'replaced':
      case 'gone':
        return changes.emit('machine', { ...effect, machineId: machine.id });
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
    if (isOffline !== wasOffline && event.type !== 'stored') {
      const { id, userId, info } = machine;
      const line = `machine ${isOffline ? 'disconnected' : 'connected'}: ${info.name}`;
      log.info({ userId, machine: id }, line);
    }
    for (const effect of effects)
      if (event.type === 'stored' && effect.type === 'announce') announceHere(machine);
      else perform(machine, effect);
  };

  const ownership = createStreamOwnership({
    clock,
    store,
    bus,
    registry,
    queue,
    onStored: (machine, connection) => dispatch(machine, { type: 'stored', connection }),
  });

  const expireGrace = async (machine: Machine) => {
    if (await ownership.expire(machine)) dispatch(machine, { type: 'grace-expired' });
  };

  const detach = (machine: Machine, stream: number) => void ownership.detach(machine, stream).catch(onError);

  const closeStream = (machine: Machine, generation: number) => {
    release(machine, generation);
    const { connection } = machine;
    dispatch(machine, { type: 'stream-closed', generation });
    if (connection.kind === 'online' && connection.generation === generation) detach(machine, generation);
  };

  // A daemon that says nothing of itself quits for good on this event, whatever its reason.
  const isToldOfShutdown = (machine: Machine) => machine.info.daemon !== null;

  const refuse = (stream: DaemonStream, reason: 'replaced' | 'shutdown' | null) => {
    if (reason !== null) stream.send(1, { type: 'gateway-disconnect', payload: { reason } });
    stream.close();
    return () => {};
  };

  const unsubscribe = bus.subscribe('all', (message) => {
    if (message.type !== 'machine-stored' || message.by === bus.here) return;
    registry.refresh(message.userId);
    if (registry.loaded(message.machineId)) ownership.refresh(message.machineId).catch(onError);
  }).stop;

  return {
    announce,
    /** Told of what the calls of the machines have to know. */
    onChange: (listener: (change: MachineChange) => void) => changes.on('machine', listener),
    /** An init was taken and written down; `replaces` when it was another daemon's than the one before. */
    initialised: (machine: Machine, { replaces }: { replaces: boolean }) => {
      dispatch(machine, { type: 'init', replaces });
      saveConnected(machine);
    },
    /**
     * Attaches a stream; the newest wins. Call the returned function once the stream has closed. A stream of
     * an older epoch is told that it was replaced, and closed.
     */
    open: async (
      machine: Machine,
      { stream, epoch }: { stream: DaemonStream; epoch: number },
    ): Promise<() => void> => {
      let isClosed = false;
      const generation = await ownership.attach(machine, epoch);
      if (generation === null) return refuse(stream, 'replaced');
      // An open socket would keep the server from stopping.
      if (isStopping) return refuse(stream, isToldOfShutdown(machine) ? 'shutdown' : null);
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
      attached.set(keyOf(machine, generation), { machine, generation, stream, probe, release, nextFrame });
      if (machine.info.daemon?.features.includes('probe')) probe.start();
      dispatch(machine, { type: 'stream-opened', generation });
      return closed;
    },
    /** Reads the machine again: another server has changed it. */
    refresh: ownership.refresh,
    /** Finds the machines that other servers have changed, where messages may be lost. */
    poll: ownership.poll,
    /** The daemon has answered a probe of its stream. */
    answered: (machine: Machine, probeId: number) => {
      const { connection } = machine;
      if (connection.kind === 'online')
        attached.get(keyOf(machine, connection.generation))?.probe.answered(probeId);
    },
    /** How long the last probe of its stream took, in milliseconds; null where that is not known here. */
    latencyMs: (machine: Machine): number | null => {
      const { connection } = machine;
      if (connection.kind !== 'online') return null;
      return attached.get(keyOf(machine, connection.generation))?.probe.latencyMs() ?? null;
    },
    /** Ends the connection on purpose. */
    disconnect: (machine: Machine, reason: 'user' | 'replaced') =>
      dispatch(machine, { type: 'disconnected', reason }),
    /** The daemon has exited and will reconnect: offline at once, without a grace. */
    leave: (machine: Machine) => dispatch(machine, { type: 'left' }),
    /** The server is back, and these machines were connected when it stopped. */
    restarted: async (machines: readonly Machine[]) => {
      // The server that had their streams was this one, before it was started again.
      if (bus.pollMs === null) await store.detachAll(clock.now()).catch(onError);
      for (const machine of machines) dispatch(machine, { type: 'restarted' });
    },
    /** Tells daemons to come back later where they understand it, and closes every stream. */
    stop: async () => {
      isStopping = true;
      for (const machineId of [...graces.keys()]) stopWaiting(machineId);
      unsubscribe();
      for (const { machine, generation, stream, nextFrame } of [...attached.values()]) {
        release(machine, generation);
        if (isToldOfShutdown(machine))
          stream.send(nextFrame(), { type: 'gateway-disconnect', payload: { reason: 'shutdown' } });
        machine.connection = { kind: 'offline', expiries: machine.connection.expiries };
        stream.close();
      }
      await queue.settled();
    },
  };
};

export type Connections = ReturnType<typeof createConnections>;
