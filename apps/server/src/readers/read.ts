import { errors } from '../errors.ts';
import { createQueue, type Feed, type QueueNeeds } from './queue.ts';

/** An open topic of a reader. */
export interface OpenTopic {
  /** Resolves when its messages arrive: what is read after it misses nothing. */
  ready: Promise<void>;
  stop(): void;
  /** Names what is to be read in the place of dropped events; without it a slow reader is cut off. */
  again?(): void;
}

/** Subscribes, and names what is to be read first. */
export type Source<Event> = (feed: Feed<Event>) => OpenTopic;

export interface ReadNeeds extends Omit<QueueNeeds, 'again'> {
  signal: AbortSignal;
}

/**
 * The events of all sources in one order until the signal aborts: what is stored, read once all subscriptions
 * are ready, then what happens. Throws `internal` for a reader that fell too far behind.
 */
export async function* read<Event>(
  { signal, ...needs }: ReadNeeds,
  sources: readonly Source<Event>[],
): AsyncGenerator<Event, void, undefined> {
  const topics: OpenTopic[] = [];
  const queue = createQueue<Event>({
    ...needs,
    again: () => {
      const isKept = topics.every(({ again }) => again !== undefined);
      if (isKept) for (const topic of topics) topic.again?.();
      return isKept;
    },
  });
  signal.addEventListener('abort', queue.wake);
  try {
    for (const open of sources) topics.push(open(queue.feed));
    await Promise.all(topics.map(({ ready }) => ready));
    while (!signal.aborted) {
      if (queue.isCut()) throw errors.internal({ message: 'The subscriber fell too far behind' });
      const events = queue.take();
      if (events === undefined) await queue.more();
      else yield* await events;
    }
  } finally {
    signal.removeEventListener('abort', queue.wake);
    for (const { stop } of topics) stop();
    queue.close();
  }
}
