import { createEmitter } from '@drawbridge/kit';
import type { ThisServer } from '../cluster/this-server.ts';
import type { ClientMessagesStore } from './client-messages.store.ts';

/** How long an answer may be given, and how long a message waits for the server that it is for. */
const questionMs = 24 * 60 * 60 * 1_000;
const messageMs = 60_000;
/** The longest name that is stored: a client chooses a part of it. In UTF-16 code units. */
const maxName = 500;

/**
 * What clients send to their own requests while those are answered, at whichever server they arrive. A name
 * is that of one request of one client.
 */
export interface ClientMessages {
  /** `cancel` runs when the client cancels; the returned function ends it. */
  onCancelled(name: string, cancel: () => void): () => void;
  /** Cancels what has that name, here or at another server. */
  cancel(name: string): Promise<void>;
  /** How many could be cancelled by that name; null where other servers may have more. */
  countCancellable(name: string): number | null;
  /** Resolves when an answer may come, which `listener` gets; call the returned function when it is over. */
  ask(name: string, listener: (answer: unknown) => void): Promise<() => void>;
  /** Answers the question of that name; without one the answer is dropped. */
  answer(name: string, answer: unknown): Promise<void>;
}

interface Needs {
  server: ThisServer;
  store: ClientMessagesStore;
  onError(error: unknown): void;
}

/** Messages for other servers are rows, and a hint says that there is one. */
const createRelay = ({ server, store, onError }: Needs, emit: (name: string, body: string) => void) => {
  const { bus, clock } = server;
  const waiting = new Set<string>();
  const take = async (name: string) => {
    if (!waiting.has(name)) return;
    const body = await store.take(name);
    if (body !== null) emit(name, body);
  };
  const hint = (name: string) => bus.publish('all', { type: 'client-message', name });
  bus.subscribe('all', (message) => {
    if (message.type === 'client-message') take(message.name).catch(onError);
  });
  server.onRound(async () => {
    if (waiting.size === 0) return;
    for (const name of await store.waiting()) await take(name);
  });
  return {
    waiting,
    cancel: async (name: string) => {
      if (name.length > maxName) return;
      await store.add({ name, body: '', endsAt: clock.now() + messageMs });
      hint(name);
    },
    ask: (name: string) => store.add({ name, body: null, endsAt: clock.now() + questionMs }),
    answer: async (name: string, body: string) => {
      if (await store.answer({ name, body, endsAt: clock.now() + messageMs })) hint(name);
    },
    end: (name: string) => void store.remove(name).catch(onError),
  };
};

export const createClientMessages = (needs: Needs): ClientMessages => {
  const answers = createEmitter<unknown>(needs.onError);
  const cancels = createEmitter<null>(needs.onError);
  const emit = (name: string, body: string) => {
    if (body === '') cancels.emit(name, null);
    else answers.emit(name, JSON.parse(body));
  };
  const relay = needs.server.bus.pollMs === null ? null : createRelay(needs, emit);
  return {
    onCancelled: (name, cancel) => {
      const stop = cancels.on(name, cancel);
      relay?.waiting.add(name);
      return () => {
        stop();
        if (cancels.count(name) === 0) relay?.waiting.delete(name);
      };
    },
    cancel: async (name) => {
      if (cancels.count(name) > 0) cancels.emit(name, null);
      else await relay?.cancel(name);
    },
    countCancellable: (name) => (relay === null ? cancels.count(name) : null),
    ask: async (name, listener) => {
      await relay?.ask(name);
      const stop = answers.on(name, listener);
      relay?.waiting.add(name);
      return () => {
        stop();
        relay?.waiting.delete(name);
        relay?.end(name);
      };
    },
    answer: async (name, answer) => {
      if (answers.count(name) > 0) answers.emit(name, answer);
      else await relay?.answer(name, JSON.stringify(answer));
    },
  };
};
