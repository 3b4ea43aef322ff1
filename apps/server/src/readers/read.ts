import { errors } from '../errors.ts';
import type { Unread } from '../http/index.ts';

/** How a source hands on its events. */
export interface Feed<Event> {
  /** Gives events once the reader is there; `length`: of their text, in UTF-16 code units. */
  push(give: () => Event[], length?: number): void;
  /** Reads once the reader is there; nothing more for a name that waits already. */
  due(name: string, read: () => Promise<Event[]>): void;
}

export interface QueueNeeds {
  userId: string;
  /** Counts what waits, where the reader's connection does not. */
  unread?: Pick<Unread, 'add'> | undefined;
  /** Of the text that waits, in UTF-16 code units. */
  maxLength: number;
  /** Names what holds, in the place of what was dropped; false: the reader is cut off. */
  again(): boolean;
}

const maxUnread = 1_000;

interface Item<Event> {
  name: string | null;
  length: number;
  give(): Event[] | Promise<Event[]>;
}

/** What waits for a reader, in order. One that stands still gets what holds then, or is cut off. */
const createQueue = <Event>({ userId, unread, maxLength, again }: QueueNeeds) => {
  let items: Item<Event>[] = [];
  let length = 0;
  let isCut = false;
  let wake: () => void = () => {};

  const drop = () => {
    items = [];
    length = 0;
    isCut = !again();
    wake();
  };
  const counted = unread?.add(userId, { unread: () => length, cut: drop });
  const add = (item: Item<Event>) => {
    if (isCut) return;
    items.push(item);
    length += item.length;
    if (length > maxLength || items.length > maxUnread) return drop();
    if (item.length > 0) counted?.grew();
    wake();
  };
  const feed: Feed<Event> = {
    push: (give, textLength = 0) => add({ name: null, length: textLength, give }),
    due: (name, read) => {
      if (!items.some((item) => item.name === name)) add({ name, length: 0, give: read });
    },
  };
  return {
    feed,
    isCut: () => isCut,
    /** The next events; undefined while there are none. */
    take: (): Event[] | Promise<Event[]> | undefined => {
      const item = items.shift();
      length -= item?.length ?? 0;
      return item?.give();
    },
    wake: () => wake(),
    /** Resolves with the next event or wake-up. */
    more: () => new Promise<void>((resolve) => (wake = resolve)),
    close: () => counted?.remove(),
  };
};

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

/** The same read; a failure is logged, and gives nothing. */
export const orNothing =
  <Event>({ onError }: { onError(error: unknown): void }, read: () => Promise<Event[]>) =>
  (): Promise<Event[]> =>
    read().catch((error: unknown) => {
      onError(error);
      return [];
    });
