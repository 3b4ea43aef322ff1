import { storedEvent, type StoredEvent } from '@drawbridge/contracts/agent/events';
import type { AskPayload } from '@drawbridge/contracts/agent/asks';
import { threadNow, threadSnapshot, type ThreadNow } from '@drawbridge/contracts/agent/threads';
import { EventSource } from 'eventsource';
import { until, type Person } from '../harness/index.ts';

const base = '/api/v1/instance-ai';

export interface NumberedEvent {
  id: number;
  event: StoredEvent;
}

type Of<Type extends StoredEvent['type']> = Extract<StoredEvent, { type: Type }>;

/** A thread of a person, over HTTP. */
export interface Thread {
  id: string;
  /** Sends a message, and returns the id of its run, or of the queued message. */
  say(message: string, mode?: 'reject' | 'queue' | 'steer'): Promise<string>;
  /** A run without a new message; returns the status. */
  continue(): Promise<number>;
  /** Runs the queue that a cancellation has paused; returns the status. */
  resume(): Promise<number>;
  /** Returns the status. */
  cancel(): Promise<number>;
  /** The stored events with a number above `after`. */
  events(after?: number): Promise<NumberedEvent[]>;
  of<Type extends StoredEvent['type']>(type: Type): Promise<Of<Type>[]>;
  /** The first event of that type, as soon as it is there. */
  until<Type extends StoredEvent['type']>(type: Type): Promise<Of<Type>>;
  now(): Promise<ThreadNow>;
  /** Whether the server has it; a thread begins with its first message. */
  exists(): Promise<boolean>;
  /** The open questions. */
  asks(): Promise<AskPayload[]>;
  /** Answers a question, and returns the status. */
  answer(requestId: string, answer: object): Promise<number>;
}

/** Reads the stream until the present state, which follows the stored events. */
const readEvents = (person: Person, id: string, after: number): Promise<NumberedEvent[]> =>
  new Promise((resolve, reject) => {
    const path = `${base}/events/${id}?lastEventId=${after}`;
    const source = new EventSource(`http://drawbridge${path}`, {
      fetch: (_, init) => person.fetch(path, init),
    });
    const events: NumberedEvent[] = [];
    source.onmessage = ({ lastEventId, data }) => {
      // Live events have no number of their own.
      const event = storedEvent.safeParse(JSON.parse(data));
      if (event.success) events.push({ id: Number(lastEventId), event: event.data });
    };
    source.onerror = ({ code, message }) => {
      source.close();
      reject(new Error(`events: ${code} ${message}`));
    };
    source.addEventListener('run-sync', () => {
      source.close();
      resolve(events);
    });
    source.addEventListener('reset', () => {
      source.close();
      reject(new Error('events: the first ones are no longer stored'));
    });
  });

export const threadOf = (person: Person, id: string): Thread => {
  const post = (path: string, body: object = {}) =>
    person.fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const events = (after = 0) => readEvents(person, id, after);
  const of = async <Type extends StoredEvent['type']>(type: Type) =>
    (await events()).flatMap(({ event }) => (event.type === type ? [event as Of<Type>] : []));
  const read = async (path: string): Promise<unknown> => {
    const reply = await person.fetch(`${base}${path}`);
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  };
  const statusPath = `/threads/${id}/status`;
  return {
    id,
    say: async (message, mode = 'reject') => {
      const reply = await post(`/chat/${id}`, { message, mode });
      const body = (await reply.json()) as { runId?: string; queuedId?: string };
      if (!reply.ok) throw new Error(`chat: ${reply.status} ${JSON.stringify(body)}`);
      return body.runId ?? body.queuedId ?? '';
    },
    continue: async () => (await post(`/chat/${id}/continue`)).status,
    resume: async () => (await post(`/threads/${id}/queued-messages/resume`)).status,
    cancel: async () => (await post(`/chat/${id}/cancel`)).status,
    events,
    of,
    until: (type) => until(async () => (await of(type))[0]),
    now: async () => threadNow.parse(await read(statusPath)),
    exists: async () => (await person.fetch(`${base}${statusPath}`)).status !== 404,
    asks: async () => Object.values(threadSnapshot.parse(await read(`/threads/${id}/messages`)).view.asks),
    answer: async (requestId, answer) => (await post(`/confirm/${requestId}`, answer)).status,
  };
};
