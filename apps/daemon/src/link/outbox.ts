import { exponential, fullJitter } from '@drawbridge/kit';
import { createCourier, type CourierNeeds, type Letter } from './courier.ts';
import { isFinal } from './failure.ts';
import type { Reply } from './server-api.ts';

export interface OutboxNeeds extends CourierNeeds {
  random: () => number;
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

const retryRange = { baseMs: 1_000, capMs: 30_000 };

interface Entry {
  letter: Letter;
  attempt: number;
  /** Takes back the wait for the next attempt; null while the courier has the letter. */
  stopResting: (() => void) | null;
  keepBack(): void;
  gone: Promise<void>;
  leave(): void;
}

export const createOutbox = ({ clock, random, settled, ...posts }: OutboxNeeds): Outbox => {
  const courier = createCourier({ clock, ...posts });
  const entries = new Set<Entry>();
  const byRequest = new Map<string, Entry[]>();
  let whenEmpty: (() => void)[] = [];
  let closed = false;
  let ready = false;
  let length = 0;

  const keep = (letter: Letter): Entry => {
    let leave = () => {};
    const gone = new Promise<void>((resolve) => (leave = resolve));
    const entry: Entry = { letter, attempt: 0, stopResting: () => {}, keepBack: () => {}, gone, leave };
    entries.add(entry);
    const others = byRequest.get(letter.requestId);
    if (others) others.push(entry);
    else byRequest.set(letter.requestId, [entry]);
    length += letter.body.length;
    return entry;
  };

  const forget = (entry: Entry): boolean => {
    if (!entries.delete(entry)) return false;
    const { requestId, body } = entry.letter;
    const others = byRequest.get(requestId)?.filter((other) => other !== entry) ?? [];
    if (others.length > 0) byRequest.set(requestId, others);
    else byRequest.delete(requestId);
    length -= body.length;
    return true;
  };

  const remove = (entry: Entry, refusal: string | null) => {
    if (!forget(entry)) return;
    settled(entry.letter, refusal);
    entry.leave();
    if (entries.size > 0) return;
    for (const resolve of whenEmpty) resolve();
    whenEmpty = [];
  };

  const judge = (entry: Entry, reply: Reply<null>) => {
    if (closed || !entries.has(entry)) return;
    if (reply.ok) return remove(entry, null);
    if (isFinal(reply.status)) return remove(entry, reply.failure.sentence);
    entry.stopResting = clock.after(fullJitter(exponential(entry.attempt, retryRange), random), () =>
      send(entry),
    );
    entry.attempt += 1;
  };

  const send = (entry: Entry) => {
    const { letter, attempt, stopResting } = entry;
    stopResting?.();
    entry.stopResting = null;
    entry.keepBack = courier.bring({ letter, again: attempt > 0, answered: (reply) => judge(entry, reply) });
  };

  const stop = (entry: Entry) => {
    entry.stopResting?.();
    entry.keepBack();
  };

  const trim = () => {
    for (const entry of entries) {
      if (entries.size <= maxLetters && length <= maxLength) return;
      stop(entry);
      remove(entry, 'too many results wait');
    }
  };

  return {
    add: (letter) => {
      const same = byRequest.get(letter.requestId)?.find((one) => one.letter.body === letter.body);
      if (same) {
        if (ready && same.stopResting) send(same);
        return same.gone;
      }
      const entry = keep(letter);
      trim();
      if (ready && entries.has(entry)) send(entry);
      return entry.gone;
    },
    hurry: () => {
      ready = true;
      for (const entry of [...entries]) {
        entry.attempt = 0;
        if (entry.stopResting) send(entry);
      }
    },
    empty: () => (entries.size === 0 ? Promise.resolve() : new Promise((resolve) => whenEmpty.push(resolve))),
    close: () => {
      closed = true;
      for (const entry of entries) {
        stop(entry);
        entry.leave();
      }
      entries.clear();
      byRequest.clear();
      for (const resolve of whenEmpty) resolve();
      whenEmpty = [];
    },
  };
};
