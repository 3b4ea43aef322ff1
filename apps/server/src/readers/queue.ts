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
export const createQueue = <Event>({ userId, unread, maxLength, again }: QueueNeeds) => {
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
