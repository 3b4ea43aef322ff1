import { createEmitter, createKeyedQueue, sleep, type Clock } from '@drawbridge/kit';
import type { ThisServer } from '../cluster/this-server.ts';
import type { GatewayLimits } from '../limits.ts';
import type { MachinesStore } from '../machines/machines.store.ts';
import type { Machine, Registry } from '../machines/registry.ts';
import { createAttachedStreams } from './attached-streams.ts';
import { dispatch, expireGrace, type ConnectionsContext, type MachineChange } from './dispatch.ts';
import { createGraces } from './graces.ts';
import { createMachineRows } from './machine-rows.ts';
import { createStreamOwnership } from './stream-ownership.ts';
import type { DaemonStream, Streams } from './streams.ts';

export interface ConnectionsNeeds {
  clock: Clock;
  limits: GatewayLimits;
  store: MachinesStore;
  server: ThisServer;
  streams: Streams;
  registry: Pick<Registry, 'adopt' | 'byId' | 'loaded' | 'refresh'>;
  log: { info(what: object, sentence: string): void };
  onError(error: unknown): void;
}

interface Context extends ConnectionsContext, ConnectionsNeeds {
  isStopping: boolean;
}

/** How long after its end a grace is ended by another server than the one that had the stream. */
const lateMs = 2_000;

const createContext = (needs: ConnectionsNeeds): Context & { settled(): Promise<void> } => {
  const { clock, onError } = needs;
  const queue = createKeyedQueue();
  const ctx: Context = {
    ...needs,
    attached: createAttachedStreams(needs),
    graces: createGraces(clock),
    rows: createMachineRows({ ...needs, queue }),
    ownership: createStreamOwnership({
      ...needs,
      queue,
      onStored: (machine, connection) => dispatch(ctx, machine, { type: 'stored', connection }),
    }),
    changes: createEmitter<MachineChange>(onError),
    isStopping: false,
  };
  return Object.assign(ctx, { settled: queue.settled });
};

// A daemon that says nothing of itself quits for good on this event, whatever its reason.
const isToldOfShutdown = (machine: Machine) => machine.info.daemon !== null;

const refuse = (stream: DaemonStream, reason: 'replaced' | 'shutdown' | null) => {
  if (reason !== null) stream.send(1, { type: 'gateway-disconnect', payload: { reason } });
  stream.close();
  return () => {};
};

const closeStream = (ctx: Context, machine: Machine, generation: number) => {
  ctx.attached.release(machine, generation);
  const { connection } = machine;
  dispatch(ctx, machine, { type: 'stream-closed', generation });
  if (connection.kind !== 'online' || connection.generation !== generation) return;
  const closed = { stream: generation, graceUntil: ctx.graces.untilOf(machine.id) };
  ctx.ownership.detach(machine, closed).catch(ctx.onError);
};

interface NewDaemonStream {
  stream: DaemonStream;
  /** Who reads it, as `answeredBy` gets it. */
  reader: string;
  epoch: number;
  /** The daemon has named that epoch itself. */
  namesEpoch: boolean;
}

const open = async (
  ctx: Context,
  machine: Machine,
  { stream, reader, epoch, namesEpoch }: NewDaemonStream,
): Promise<() => void> => {
  let isClosed = false;
  const generation = await ctx.ownership.attach(machine, epoch);
  if (generation === null) return refuse(stream, 'replaced');
  // An open socket would keep the server from stopping.
  if (ctx.isStopping) return refuse(stream, isToldOfShutdown(machine) ? 'shutdown' : null);
  const closed = () => {
    if (isClosed) return;
    isClosed = true;
    closeStream(ctx, machine, generation);
  };
  ctx.attached.add(machine, { generation, stream, reader, dead: closed });
  // A daemon that names the newest epoch is the one that the machine has.
  dispatch(ctx, machine, { type: 'stream-opened', generation, isSameDaemon: namesEpoch });
  return closed;
};

/** Another server has changed the row of a machine. */
const changedElsewhere = (ctx: Context, { id, userId }: Pick<Machine, 'id' | 'userId'>) => {
  ctx.registry.refresh(userId);
  if (ctx.registry.loaded(id)) ctx.ownership.refresh(id).catch(ctx.onError);
};

/** Ends a grace that no server has ended in time. */
const expireLate = async (ctx: Context, machineId: string) => {
  await ctx.registry.byId(machineId);
  await ctx.ownership.refresh(machineId);
  const machine = ctx.registry.loaded(machineId);
  const until = machine?.info.graceUntil ?? null;
  if (machine && until !== null && until <= ctx.clock.now() - lateMs) await expireGrace(ctx, machine);
};

/** Takes over what servers that are gone have left: streams that are closed, and graces. */
const sweep = async (ctx: Context) => {
  const { clock, limits, store, rows, onError } = ctx;
  const now = clock.now();
  for (const machine of await store.detachOfDead(now, now + limits.restartGraceMs)) {
    rows.announce(machine);
    changedElsewhere(ctx, machine);
  }
  for (const machineId of await store.lateGraces(now - lateMs))
    await expireLate(ctx, machineId).catch(onError);
};

/** The others may have its streams already: closes them without a word, so that the daemons come back. */
const giveUp = (ctx: Context) => {
  for (const { machine } of ctx.attached.all())
    dispatch(ctx, machine, { type: 'stored', connection: { kind: 'waiting' } });
};

/** How long after the last one a stream is closed. */
const leaveEveryMs = 5;

const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);

/** The machines connect to other servers: one after the other, so that they do not all come at once. */
const leave = async (ctx: Context, withinMs: number) => {
  ctx.isStopping = true;
  const open = shuffled(ctx.attached.all());
  const everyMs = Math.min(leaveEveryMs, withinMs / open.length);
  for (const { machine, generation } of open) {
    ctx.attached.close(machine, generation, isToldOfShutdown(machine) ? 'shutdown' : null);
    closeStream(ctx, machine, generation);
    await sleep(ctx.clock, everyMs);
  }
};

const watchOthers = (ctx: Context): (() => void) => {
  const { server, registry, attached } = ctx;
  const cancels = [
    server.bus.subscribe('all', (message) => {
      if (message.type !== 'machine-stored' || message.by === server.id()) return;
      changedElsewhere(ctx, { id: message.machineId, userId: message.userId });
    }).stop,
    server.subscribe((message) => {
      if (message.type !== 'probe-answered') return;
      const machine = registry.loaded(message.machineId);
      if (machine) attached.answered(machine, message.probeId);
    }).stop,
    server.onRound(ctx.ownership.poll),
    server.onLost(() => giveUp(ctx)),
  ];
  return () => {
    for (const cancel of cancels) cancel();
  };
};

/** The only server is back, and these machines were connected when it stopped. */
const restarted = async (ctx: Context, machines: readonly Machine[]) => {
  await ctx.store.detachAll(ctx.clock.now()).catch(ctx.onError);
  for (const machine of machines) dispatch(ctx, machine, { type: 'restarted' });
};

const answered = (ctx: Context, machine: Machine, probeId: number) => {
  const { connection, id: machineId } = machine;
  if (connection.kind !== 'elsewhere') return ctx.attached.answered(machine, probeId);
  const { bus } = ctx.server;
  return bus.publish(`server:${connection.serverId}`, { type: 'probe-answered', machineId, probeId });
};

/** Runs the connection state machine: streams, grace timers, subscribers. Specification 7. */
export const createConnections = (needs: ConnectionsNeeds) => {
  const ctx = createContext(needs);
  const { attached, graces, ownership, rows, changes } = ctx;
  const unsubscribe = watchOthers(ctx);

  return {
    announce: rows.announce,
    /** Told of what the calls of the machines have to know. */
    onChange: (listener: (change: MachineChange) => void) => changes.on('machine', listener),
    /** An init was taken and written down; `replaces` when it was another daemon's than the one before. */
    initialised: (machine: Machine, { replaces }: { replaces: boolean }) => {
      dispatch(ctx, machine, { type: 'init', replaces });
      rows.saveConnected(machine);
    },
    /**
     * Attaches a stream; the newest wins. Call the returned function once the stream has closed. A stream of
     * an older epoch is told that it was replaced, and closed.
     */
    open: (machine: Machine, opened: NewDaemonStream) => open(ctx, machine, opened),
    /** Reads the machine again: another server has changed it. */
    refresh: ownership.refresh,
    /** Takes over what servers that are gone have left. */
    sweep: () => sweep(ctx),
    /** The same by the reader of a stream of this server, without the store; false where that is needed. */
    answeredBy: attached.answeredBy,
    /** The daemon has answered a probe of its stream. */
    answered: (machine: Machine, probeId: number) => answered(ctx, machine, probeId),
    /** How long the last probe of its stream took, in milliseconds; null where that is not known here. */
    latencyMs: (machine: Machine): number | null => attached.probeOf(machine)?.latencyMs() ?? null,
    /** Ends the connection on purpose. */
    disconnect: (machine: Machine, reason: 'user' | 'replaced') =>
      dispatch(ctx, machine, { type: 'disconnected', reason }),
    /** The daemon has exited and will reconnect: offline at once, without a grace. */
    leave: (machine: Machine) => dispatch(ctx, machine, { type: 'left' }),
    restarted: (machines: readonly Machine[]) => restarted(ctx, machines),
    /** How many streams of machines are open here. */
    openStreams: (): number => attached.all().length,
    /** Sends every machine to other servers, in random order; new streams are refused. */
    leaveAll: (withinMs: number) => leave(ctx, withinMs),
    /** Tells daemons to come back later where they understand it, and closes every stream. */
    stop: async () => {
      ctx.isStopping = true;
      graces.stopAll();
      unsubscribe();
      for (const { machine, generation } of attached.all()) {
        attached.close(machine, generation, isToldOfShutdown(machine) ? 'shutdown' : null);
        machine.connection = { kind: 'offline', expiries: machine.connection.expiries };
      }
      await ctx.settled();
    },
  };
};

export type Connections = ReturnType<typeof createConnections>;
