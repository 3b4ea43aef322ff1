import { createEmitter, createSerialQueue, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import type { Bus, BusMessage, Subscription } from '../bus.ts';
import { createOwnTopic } from './own-topic.ts';
import type { ServersStore } from './servers.store.ts';
import { createStoreClock } from './store-clock.ts';

/** How long after its last beat a server may deliver and drive. */
const liveMs = 8_000;
/** How long after its last beat a server is dead for the others. */
export const serverDeadMs = 10_000;
/** After how long without a beat it takes itself for dead, where it cannot read whether the others do. */
const lostMs = 45_000;
/** How long a periodic job stays with the server that does it. */
const leaseMs = 10_000;

/** This server among those of its store. */
export interface ThisServer {
  bus: Bus;
  /** The time of the database. */
  clock: Clock;
  /** Another one after the others have taken it for dead. */
  id(): string;
  /** Whether it may deliver and drive: the others cannot have taken it for dead yet. */
  isLive(): boolean;
  /** Messages for this server. */
  subscribe(listener: (message: BusMessage) => void): Subscription;
  /** `listener` runs when what this server had may belong to others; the returned function ends it. */
  onLost(listener: () => void): () => void;
  /**
   * Runs `job` every `bus.pollMs`, one job after the other. While one of them fails, others see this server
   * as dead: a job rejects only where the store cannot be read. Without other servers no job runs.
   */
  onRound(job: () => Promise<void>): () => void;
  /** Whether this server does the periodic job of that name, for the next 10 s. */
  lease(name: string): Promise<boolean>;
  /** Says in its row that it is being stopped. */
  drain(): void;
  /** Ends its rounds, and leaves what it has to the others. */
  leave(): Promise<void>;
}

export interface JoinNeeds {
  store: ServersStore;
  /** The process's own. */
  clock: Clock;
  bus: Bus;
  version: string;
  log: { info(what: object, sentence: string): void };
  onError(error: unknown): void;
}

/** The only server of its store: it has no row, and reads nothing periodically. */
export const createLoneServer = (clock: Clock, bus: Bus): ThisServer => ({
  bus,
  clock,
  id: () => bus.here,
  isLive: () => true,
  subscribe: (listener) => bus.subscribe(`server:${bus.here}`, listener),
  onLost: () => () => {},
  onRound: () => () => {},
  lease: () => Promise.resolve(true),
  drain: () => {},
  leave: () => Promise.resolve(),
});

/** The row of this server: entered, and renewed with each beat. */
const createOwnRow = ({ store, clock, bus, version }: JoinNeeds) => {
  const time = createStoreClock(clock);
  let id = bus.here;
  let seenAt = clock.now();
  let drainingAt: number | null = null;

  /** Reads the time of the database, then writes it. */
  const write = async <Result>(row: (at: number) => Promise<Result>): Promise<Result> => {
    const before = clock.now();
    const at = await store.now();
    time.measured({ before, after: clock.now(), database: at });
    const result = await row(at);
    if (result !== false) seenAt = before;
    return result;
  };

  return {
    clock: time.clock,
    id: () => id,
    sinceMs: () => clock.now() - seenAt,
    enter: () => write((at) => store.add({ id, version, at, drainingAt })),
    /** False where the others have taken this server for dead. */
    renew: () => write((at) => store.renew(id, at)),
    rename: () => {
      id = nanoid(8);
    },
    drain: async () => {
      drainingAt = time.clock.now();
      await store.markDraining(id, drainingAt);
    },
  };
};

/** Enters this server among those of its store: from now on its row is renewed every `bus.pollMs`. */
export const joinServers = async (needs: JoinNeeds): Promise<ThisServer> => {
  const { store, clock, bus, log, onError } = needs;
  const row = createOwnRow(needs);
  const topic = createOwnTopic(bus, row.id);
  const losses = createEmitter<null>(onError);
  const jobs = new Set<() => Promise<void>>();
  const inTurn = createSerialQueue();
  let isEntered = true;
  let isRunning = false;

  /** The others have taken it for dead, and what it had: it begins again with a round that works. */
  const die = () => {
    const former = row.id();
    row.rename();
    topic.moved();
    isEntered = false;
    log.info({ server: row.id(), former }, 'this server was taken for dead, and begins again');
    losses.emit('lost', null);
  };

  const removeDead = async () => {
    for (const serverId of await store.removeDead(row.clock.now() - serverDeadMs)) {
      log.info({ server: serverId }, 'a server has died');
      bus.publish('all', { type: 'server-dead', serverId });
    }
  };

  const round = async () => {
    for (const job of jobs) await job();
    if (!topic.works()) return;
    // A message may have said so meanwhile.
    if (isEntered && !(await row.renew()) && isEntered) die();
    if (!isEntered) await row.enter();
    isEntered = true;
    await removeDead();
  };

  const tick = async () => {
    if (isEntered && row.sinceMs() > lostMs) die();
    if (isRunning) return;
    isRunning = true;
    await inTurn(round).catch(onError);
    isRunning = false;
  };

  await row.enter();
  const dead = bus.subscribe('all', (message) => {
    if (message.type !== 'server-dead' || message.serverId !== row.id()) return;
    die();
    void tick();
  });
  const stopTicks = clock.every(bus.pollMs ?? liveMs, () => void tick());

  return {
    bus,
    clock: row.clock,
    id: row.id,
    isLive: () => row.sinceMs() < liveMs,
    subscribe: topic.subscribe,
    onLost: (listener) => losses.on('lost', listener),
    onRound: (job) => {
      jobs.add(job);
      return () => void jobs.delete(job);
    },
    lease: (name) => {
      const at = row.clock.now();
      return store.lease({ name, owner: row.id(), at, until: at + leaseMs });
    },
    drain: () => void row.drain().catch(onError),
    leave: async () => {
      stopTicks();
      dead.stop();
      topic.stop();
      // Where the store is away, the others find it dead 10 s later.
      await inTurn(() => store.remove(row.id())).catch(onError);
    },
  };
};
