import { createHash } from 'node:crypto';
import { createEmitter, type Clock } from '@drawbridge/kit';
import { Redis } from 'ioredis';
import { nanoid } from 'nanoid';
import type { Bus, BusMessage, Topic } from '../gateway/index.ts';
import { createSealer } from '../secrets/index.ts';
import { createSharedCounts } from './shared-counts.ts';
import { openEnvelope, sealEnvelope, type Envelope } from './envelope.ts';

/** A stopped Redis delivers late what it had; what is older says nothing about the present. */
const oldestMs = 30_000;
/** All subscribers read the store after a gap; over this time, so that they do not all at once. */
const spreadMs = 2_000;
/** Topics in one command of a new connection. */
const topicsAtOnce = 500;

export interface RedisBusNeeds {
  /** `redis://` or `rediss://`, with the password where there is one. */
  url: string;
  /** The secret that all servers of the store share; messages are sealed with a key derived from it. */
  secret: string;
  clock: Clock;
  /** Redis works, or no longer does; `reason` is null once it works. */
  onState(isUp: boolean, reason: string | null): void;
  onError(error: unknown): void;
  /** How often to read the store for lost messages. */
  pollMs?: number;
  /** How often the way through Redis is tried; it counts as away after two that failed. */
  echoMs?: number;
}

export interface RedisBus extends Bus {
  /** The time of the newest message to itself through Redis, in milliseconds; null before the first. */
  lagMs(): number | null;
  /** Resolves when Redis works, or after `ms`: true if it does. */
  waitUntilUp(ms: number): Promise<boolean>;
  /** Whether a server subscribes to the topic; false while Redis does not answer. */
  isWatched(topic: Topic): Promise<boolean>;
  /** Counts a use of a name for all servers; rejects while Redis does not answer. */
  countUse: ReturnType<typeof createSharedCounts>;
  close(): void;
}

const options = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 1_000,
  connectTimeout: 2_000,
  autoResubscribe: false,
  retryStrategy: (times: number) => Math.min(50 * times, 500),
} as const;

/** The cause as a word: the message of a refused connection names host and port, others may have more. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? ('code' in error && String(error.code)) || error.message || error.name : 'unknown';

const inParts = (topics: string[]): string[][] =>
  Array.from({ length: Math.ceil(topics.length / topicsAtOnce) }, (_, part) =>
    topics.slice(part * topicsAtOnce, (part + 1) * topicsAtOnce),
  );

/** Who reads the store again after a gap: all of them, over some time. */
const createGaps = ({ clock, onError }: Pick<RedisBusNeeds, 'clock' | 'onError'>) => {
  const listeners = new Set<() => void>();
  const run = (refresh: () => void) => {
    if (!listeners.has(refresh)) return;
    try {
      refresh();
    } catch (error) {
      onError(error);
    }
  };
  return {
    onGap: (refresh: () => void) => {
      const listen = () => refresh();
      listeners.add(listen);
      return () => void listeners.delete(listen);
    },
    gap: () => {
      const all = [...listeners];
      for (const [place, refresh] of all.entries())
        clock.after(Math.floor((place * spreadMs) / all.length), () => run(refresh));
    },
    clear: () => listeners.clear(),
  };
};

/** The topics with subscribers on this server, and the channels that the receiver has joined for them. */
const createTopics = (
  receiver: Redis,
  { prefix, onError }: { prefix: string; onError(error: unknown): void },
) => {
  const messages = createEmitter<BusMessage>(onError);
  const topics = new Map<string, { listeners: number; joined: Promise<void> }>();
  const join = (all: string[]): Promise<void> =>
    receiver.subscribe(...all.map((topic) => prefix + topic)).then(
      () => {},
      // The new connection joins all topics, and a gap follows.
      () => {},
    );
  const subscribe: Bus['subscribe'] = (topic, listener) => {
    const entry = topics.get(topic) ?? { listeners: 0, joined: join([topic]) };
    entry.listeners += 1;
    topics.set(topic, entry);
    const stopListening = messages.on(topic, listener);
    let isStopped = false;
    const stop = () => {
      stopListening();
      if (isStopped) return;
      isStopped = true;
      entry.listeners -= 1;
      if (entry.listeners > 0) return;
      topics.delete(topic);
      receiver.unsubscribe(prefix + topic).catch(() => {});
    };
    return { ready: entry.joined, stop };
  };
  return {
    emit: messages.emit,
    subscribe,
    /** After a new connection. */
    joinAll: () => Promise.all(inParts([...topics.keys()]).map(join)),
  };
};

/** Resolves once the state turns to up, or after some time. */
const createWaiters = (clock: Clock) => {
  const waiters = new Set<() => void>();
  return {
    wake: () => {
      for (const waiter of [...waiters]) waiter();
    },
    wait: (ms: number) =>
      new Promise<boolean>((resolve) => {
        const end = (isUp: boolean) => {
          cancel();
          waiters.delete(waiter);
          resolve(isUp);
        };
        const waiter = () => end(true);
        const cancel = clock.after(ms, () => end(false));
        waiters.add(waiter);
      }),
  };
};

const countSubscribers = async (redis: Redis, channel: string): Promise<number> => {
  const [, counted] = await redis.pubsub('NUMSUB', channel);
  return Number(counted);
};

/** Two installations may share a Redis. */
const prefixOf = (secret: string): string =>
  `drawbridge:${createHash('sha256').update(`bus ${secret}`).digest('hex').slice(0, 12)}:`;

/**
 * The bus of several servers: Pub/Sub of Redis or Valkey. At most once, sealed, and without order between
 * servers; a message is a reason to read the store. Without Redis each server goes on with its own messages.
 */
export const createRedisBus = (needs: RedisBusNeeds): RedisBus => {
  const { url, secret, clock, onState, pollMs = 2_000, echoMs = 5_000, onError } = needs;
  const here = nanoid(8);
  const sealer = createSealer(secret, 'drawbridge bus');
  const prefix = prefixOf(secret);
  let reason = 'it has not answered yet';
  const noteReason = (error: unknown) => void (reason = reasonOf(error));
  const sender = new Redis(url, options).on('error', noteReason);
  const receiver = new Redis(url, options).on('error', noteReason);
  const topics = createTopics(receiver, { prefix, onError });
  const gaps = createGaps(needs);
  const waiters = createWaiters(clock);
  const state = { isUp: false, lagMs: null as number | null, unanswered: 0 };
  const echoTopic = `echo:${here}`;

  const send = (topic: string, content: Pick<Envelope, 'kind' | 'message'>): void => {
    const text = sealEnvelope(sealer, topic, { from: here, sentAt: clock.now(), ...content });
    sender.publish(prefix + topic, text).catch(noteReason);
  };
  const turn = (isUp: boolean) => {
    if (state.isUp === isUp) return;
    state.isUp = isUp;
    onState(isUp, isUp ? null : reason);
    if (!isUp) return;
    waiters.wake();
    // What this server has published meanwhile did not arrive.
    send('all', { kind: 'missed' });
    gaps.gap();
  };
  const receive = (topic: string, received: Envelope | null) => {
    if (received === null || clock.now() - received.sentAt > oldestMs) return;
    const { from, kind, message, sentAt } = received;
    if (kind === 'echo') {
      state.unanswered = 0;
      state.lagMs = Math.max(0, clock.now() - sentAt);
      turn(true);
    } else if (kind === 'message' && message && (from !== here || message.type === 'echo'))
      topics.emit(topic, message);
    else if (kind === 'missed' && from !== here) gaps.gap();
  };

  const ask = () => {
    state.unanswered = 0;
    send(echoTopic, { kind: 'echo' });
  };
  receiver.on('ready', () => {
    const joined = [receiver.subscribe(prefix + echoTopic, `${prefix}all`), topics.joinAll()];
    // Lost again: the next connection begins anew.
    Promise.all(joined).then(ask, () => {});
  });
  // What was sent before is lost: whichever connection is the last one asks.
  sender.on('ready', ask);
  const receiveText = (topic: string, text: string) => receive(topic, openEnvelope(sealer, topic, text));
  receiver.on('message', (channel: string, text: string) => receiveText(channel.slice(prefix.length), text));

  const stopEcho = clock.every(echoMs, () => {
    state.unanswered += 1;
    if (state.unanswered > 1) {
      turn(false);
      gaps.gap();
      // A connection that was lost without a word looks open; a polite end would wait for an answer.
      for (const { status, stream } of [sender, receiver]) if (status === 'ready') stream.destroy();
    }
    send(echoTopic, { kind: 'echo' });
  });

  return {
    here,
    pollMs,
    isAway: () => !state.isUp,
    countUse: createSharedCounts({ redis: sender, prefix, secret, isAway: () => !state.isUp }),
    isWatched: async (topic) =>
      state.isUp && (await countSubscribers(sender, prefix + topic).catch(() => 0)) > 0,
    lagMs: () => state.lagMs,
    publish: (topic, message) => {
      // A server asks itself whether the bus works: that one goes the whole way.
      if (message.type !== 'echo') topics.emit(topic, message);
      send(topic, { kind: 'message', message });
    },
    subscribe: topics.subscribe,
    onGap: gaps.onGap,
    waitUntilUp: (ms) => (state.isUp ? Promise.resolve(true) : waiters.wait(ms)),
    close: () => {
      stopEcho();
      gaps.clear();
      for (const connection of [receiver, sender]) connection.disconnect();
    },
  };
};
