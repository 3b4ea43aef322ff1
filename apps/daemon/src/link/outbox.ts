import { exponential, fullJitter, type Clock } from '@drawbridge/kit';
import type { Reply } from './server-api.ts';

/** A result on its way to the server: the JSON text of a `ResponseBody`. */
export interface Letter {
  requestId: string;
  body: string;
}

export interface OutboxNeeds {
  clock: Clock;
  random: () => number;
  post(letter: Letter): Promise<Reply<null>>;
  /** The server has the letter, or will never take it: then `refusal` says why. */
  settled(letter: Letter, refusal: string | null): void;
}

/**
 * Keeps each result until the server has taken it, in memory: what must outlive the process stands in the journal and is added
 * again at the next start. Nothing is posted before the first `hurry`.
 */
export interface Outbox {
  /** Resolves when the letter has left: taken, refused, given up. The same letter once more only hurries the one that waits. */
  add(letter: Letter): Promise<void>;
  /** The server can be reached again: what waits is tried now. */
  hurry(): void;
  /** Resolves when nothing waits. */
  empty(): Promise<void>;
  /** Stops trying; what waits is forgotten. */
  close(): void;
}

/** Beyond this many letters or characters the oldest is given up. */
const maxLetters = 2_000;
const maxLength = 128 * 1024 * 1024;

/** Letters of at least `largeLength` characters are posted so many at a time; none of the others waits for them. */
export const largeLength = 64 * 1024;
export const largePosts = 2;

const retryRange = { baseMs: 1_000, capMs: 30_000 };

/** These answers are about this one result and will not change: unknown or gone, answered otherwise, malformed, too large. */
const finalStatuses = new Set([400, 404, 409, 410, 413, 422]);

interface Entry {
  letter: Letter;
  attempt: number;
  /** Takes back the wait for the next attempt; null while a post is under way. */
  stopWaiting: (() => void) | null;
  gone: Promise<void>;
  leave(): void;
}

export const createOutbox = ({ clock, random, post, settled }: OutboxNeeds): Outbox => {
  const entries = new Set<Entry>();
  let whenEmpty: (() => void)[] = [];
  let closed = false;
  let ready = false;
  let length = 0;
  /** Large letters that wait for others, and how many are under way. */
  const line = new Set<Entry>();
  let underWay = 0;

  const remove = (entry: Entry, refusal: string | null) => {
    if (!entries.delete(entry)) return;
    length -= entry.letter.body.length;
    settled(entry.letter, refusal);
    entry.leave();
    if (entries.size > 0) return;
    for (const resolve of whenEmpty) resolve();
    whenEmpty = [];
  };

  const postLarge = async (letter: Letter): Promise<Reply<null>> => {
    underWay += 1;
    try {
      return await post(letter);
    } finally {
      underWay -= 1;
      const [next] = line;
      if (next) void send(next);
    }
  };

  const send = async (entry: Entry): Promise<void> => {
    entry.stopWaiting?.();
    entry.stopWaiting = null;
    const isLarge = entry.letter.body.length >= largeLength;
    if (isLarge && underWay >= largePosts) {
      line.add(entry);
      entry.stopWaiting = () => void line.delete(entry);
      return;
    }
    const reply = await (isLarge ? postLarge : post)(entry.letter);
    if (closed || !entries.has(entry)) return;
    if (reply.ok) return remove(entry, null);
    if (reply.status !== null && finalStatuses.has(reply.status))
      return remove(entry, reply.failure.sentence);
    entry.stopWaiting = clock.after(
      fullJitter(exponential(entry.attempt, retryRange), random),
      () => void send(entry),
    );
    entry.attempt += 1;
  };

  const trim = () => {
    for (const entry of entries) {
      if (entries.size <= maxLetters && length <= maxLength) return;
      entry.stopWaiting?.();
      remove(entry, 'too many results wait');
    }
  };

  return {
    add: (letter) => {
      const same = [...entries].find(
        (one) => one.letter.requestId === letter.requestId && one.letter.body === letter.body,
      );
      if (same) {
        if (ready && same.stopWaiting) void send(same);
        return same.gone;
      }
      let leave = () => {};
      const gone = new Promise<void>((resolve) => (leave = resolve));
      const entry: Entry = { letter, attempt: 0, stopWaiting: null, gone, leave };
      entries.add(entry);
      length += letter.body.length;
      trim();
      if (ready && entries.has(entry)) void send(entry);
      else entry.stopWaiting = () => undefined;
      return gone;
    },
    hurry: () => {
      ready = true;
      for (const entry of [...entries]) {
        entry.attempt = 0;
        if (entry.stopWaiting) void send(entry);
      }
    },
    empty: () => (entries.size === 0 ? Promise.resolve() : new Promise((resolve) => whenEmpty.push(resolve))),
    close: () => {
      closed = true;
      for (const entry of entries) {
        entry.stopWaiting?.();
        entry.leave();
      }
      entries.clear();
      for (const resolve of whenEmpty) resolve();
      whenEmpty = [];
    },
  };
};
