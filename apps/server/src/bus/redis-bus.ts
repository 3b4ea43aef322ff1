import { createHash } from 'node:crypto';
import { createEmitter, type Clock } from '@drawbridge/kit';
import { Redis } from 'ioredis';
import { nanoid } from 'nanoid';
import type { Bus, BusMessage } from '../gateway/index.ts';
import { createSealer } from '../secrets/index.ts';
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
  /** Another server is not heard, or is heard again; `reason` is null once Redis works. */
  onState(isUp: boolean, reason: string | null): void;
  onError(error: unknown): void;
  /** How often to read the store for lost messages. */
  pollMs?: number;
  /** How often the way through Redis is tried; it counts as away after two that failed. */
  echoMs?: number;
}

export interface RedisBus extends Bus {
  /** Whether messages of this server come back through Redis. */
  isUp(): boolean;
  /** The time of the newest message to itself through Redis, in milliseconds; null before the first. */
  lagMs(): number | null;
  /** Resolves when Redis works, or after `ms`: true if it does. */
  waitUntilUp(ms: number): Promise<boolean>;
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
const reasonOf = (error: unknown): string =>
  error instanceof Error ? ('code' in error && String(error.code)) || error.message || error.name : 'unknown';

const inParts = (topics: string[]): string[][] =>
  Array.from({ length: Math.ceil(topics.length / topicsAtOnce) }, (_, part) =>
    topics.slice(part * topicsAtOnce, (part + 1) * topicsAtOnce),
  );

/**
 * The bus of several servers: Redis or Valkey, Pub/Sub alone. At most once, sealed, and without order between
 * servers; a message is a reason to read the store. Without Redis a server hears itself, and the polls remain.
 */
export const createRedisBus = (needs: RedisBusNeeds): RedisBus => {
  const { url, secret, clock, onState, onError, pollMs = 2_000, echoMs = 5_000 } = needs;
  const here = nanoid(8);
  const own = `server:${here}`;
  const sealer = createSealer(secret, 'drawbridge bus');
  // Two installations may share a Redis.
  const prefix = `drawbridge:${createHash('sha256').update(`bus ${secret}`).digest('hex').slice(0, 12)}:`;
  const sender = new Redis(url, options);
  const receiver = new Redis(url, options);
  const messages = createEmitter<BusMessage>(onError);
  const topics = new Map<string, { listeners: number; joined: Promise<void> }>();
  const gapListeners = new Set<() => void>();
  const upListeners = new Set<() => void>();
  const state = { isUp: false, isClosed: false, lagMs: null as number | null, unanswered: 0 };
  let reason = 'it has not answered yet';

  const gap = () => {
    const all = [...gapListeners];
    for (const [place, refresh] of all.entries())
      clock.after(Math.floor((place * spreadMs) / all.length), () => {
        if (state.isClosed || !gapListeners.has(refresh)) return;
        try {
          refresh();
        } catch (error) {
          onError(error);
        }
      });
  };
  const send = (topic: string, content: Pick<Envelope, 'kind' | 'message'>): void => {
    const text = sealEnvelope(sealer, topic, { from: here, sentAt: clock.now(), ...content });
    sender.publish(prefix + topic, text).catch((error: unknown) => void (reason = reasonOf(error)));
  };
  const turn = (isUp: boolean) => {
    if (state.isUp === isUp || state.isClosed) return;
    state.isUp = isUp;
    onState(isUp, isUp ? null : reason);
    if (!isUp) return;
    for (const listen of [...upListeners]) listen();
    // What was published meanwhile reached nobody.
    send('all', { kind: 'missed' });
    gap();
  };
  const join = (all: string[]): Promise<void> =>
    receiver.subscribe(...all.map((topic) => prefix + topic)).then(
      () => {},
      // The new connection joins all topics, and a gap follows.
      () => {},
    );

  receiver.on('ready', () => {
    void Promise.all(inParts([own, 'all', ...topics.keys()]).map(join)).then(() => {
      state.unanswered = 0;
      send(own, { kind: 'echo' });
    });
  });
  receiver.on('message', (channel: string, text: string) => {
    const topic = channel.slice(prefix.length);
    const received = openEnvelope(sealer, topic, text);
    if (received === null || clock.now() - received.sentAt > oldestMs) return;
    const { from, kind, message, sentAt } = received;
    if (kind === 'echo') {
      state.unanswered = 0;
      state.lagMs = Math.max(0, clock.now() - sentAt);
      turn(true);
    } else if (from === here) return;
    else if (kind === 'missed') gap();
    else if (message) messages.emit(topic, message);
  });
  for (const connection of [sender, receiver])
    connection.on('error', (error: unknown) => void (reason = reasonOf(error)));

  const stopEcho = clock.every(echoMs, () => {
    state.unanswered += 1;
    if (state.unanswered > 1) {
      turn(false);
      gap();
      // A connection that was lost without a word looks open; a polite end would wait for an answer.
      for (const { status, stream } of [sender, receiver]) if (status === 'ready') stream.destroy();
    }
    send(own, { kind: 'echo' });
  });

  return {
    here,
    pollMs,
    isUp: () => state.isUp,
    lagMs: () => state.lagMs,
    publish: (topic, message) => {
      messages.emit(topic, message);
      if (topic !== own) send(topic, { kind: 'message', message });
    },
    subscribe: (topic, listener) => {
      const known = topics.get(topic);
      const entry = known ?? { listeners: 0, joined: join([topic]) };
      entry.listeners += 1;
      topics.set(topic, entry);
      const stopListening = messages.on(topic, listener);
      let isStopped = false;
      const stop = () => {
        stopListening();
        if (isStopped) return;
        isStopped = true;
        entry.listeners -= 1;
        if (entry.listeners > 0 || topic === own || topic === 'all') return;
        topics.delete(topic);
        receiver.unsubscribe(prefix + topic).catch(() => {});
      };
      return { ready: entry.joined, stop };
    },
    onGap: (refresh) => {
      const listen = () => refresh();
      gapListeners.add(listen);
      return () => void gapListeners.delete(listen);
    },
    waitUntilUp: (ms) =>
      new Promise((resolve) => {
        if (state.isUp) return resolve(true);
        const end = (isUp: boolean) => {
          cancel();
          upListeners.delete(listen);
          resolve(isUp);
        };
        const listen = () => end(true);
        const cancel = clock.after(ms, () => end(false));
        upListeners.add(listen);
      }),
    close: () => {
      state.isClosed = true;
      stopEcho();
      receiver.disconnect();
      sender.disconnect();
    },
  };
};
