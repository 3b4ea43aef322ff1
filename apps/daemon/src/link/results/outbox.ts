import { responseBody } from '@drawbridge/contracts/daemon-surface';
import { exponential, fullJitter } from '@drawbridge/kit';
import { isFinal } from '../failure.ts';
import type { Reply, Result } from '../reply.ts';
import { createResultBatcher, type BatcherNeeds } from './result-batcher.ts';
import { retryRange } from '../retry-range.ts';

/** These answers are about what the result holds, such as a `__proto__` in it, or about its size. */
const aboutContent = new Set([400, 413, 422]);

/** Whether the server refused what a result holds: another result of the same call may be taken. */
const isAboutContent = (status: number | null): boolean => status !== null && aboutContent.has(status);

const hasStarted = (body: string): boolean =>
  responseBody.safeParse(JSON.parse(body)).data?.result?._meta?.['drawbridge/started'] !== false;

/** The result that ends a call when the server refuses its own; `sentence` is the server's. */
const resultInstead = (body: string, sentence: string): string => {
  const done = hasStarted(body) ? 'The tool ran' : 'The machine answered';
  const text = `${done}, but the server did not accept the result: ${sentence}`;
  const _meta = { 'drawbridge/started': hasStarted(body) };
  return JSON.stringify({ result: { content: [{ type: 'text', text }], isError: true, _meta } });
};

export interface OutboxNeeds extends BatcherNeeds {
  random: () => number;
  settled(result: Result, refusal: string | null): void;
}

/** Beyond this many results or characters the oldest is given up. */
const maxResults = 2_000;
const maxLength = 128 * 1024 * 1024;

interface Entry {
  result: Result;
  /** Why the server refused the call's own result, which this one replaces; null for the call's own. */
  insteadOf: string | null;
  attempt: number;
  /** `resting`: waits for its next attempt. `sent`: with the batcher. */
  state: { kind: 'resting'; cancel?: () => void } | { kind: 'sent'; withdraw: () => void };
  done: PromiseWithResolvers<void>;
}

const stop = ({ state }: Entry) => (state.kind === 'resting' ? state.cancel?.() : state.withdraw());

const isSame = (a: Result, b: Result) => a.requestId === b.requestId && a.body === b.body;

const lengthOf = (entries: readonly Entry[]) =>
  entries.reduce((sum, { result }) => sum + result.body.length, 0);

/** Keeps each result in memory until the server accepts it. Nothing is posted before the first `flush`. */
export const createOutbox = ({ clock, random, settled, ...posts }: OutboxNeeds) => {
  const batcher = createResultBatcher({ clock, ...posts });
  const entries: Entry[] = [];
  let whenEmpty: (() => void)[] = [];
  let isClosed = false;
  let isReady = false;

  const reportEmpty = () => {
    for (const resolve of whenEmpty) resolve();
    whenEmpty = [];
  };

  const remove = (entry: Entry, refusal: string | null) => {
    const at = entries.indexOf(entry);
    if (at === -1) return;
    entries.splice(at, 1);
    settled(entry.result, refusal);
    entry.done.resolve();
    if (entries.length === 0) reportEmpty();
  };

  const receiveReply = (entry: Entry, reply: Reply<null>) => {
    if (isClosed || !entries.includes(entry)) return;
    if (reply.ok) return remove(entry, entry.insteadOf);
    const { sentence } = reply.failure;
    if (entry.insteadOf === null && isAboutContent(reply.status)) return sendInstead(entry, sentence);
    if (isFinal(reply.status)) return remove(entry, sentence);
    const restMs = fullJitter(exponential(entry.attempt, retryRange), random);
    entry.state = { kind: 'resting', cancel: clock.after(restMs, () => send(entry)) };
    entry.attempt += 1;
  };

  const send = (entry: Entry) => {
    const { result, attempt, state } = entry;
    if (state.kind === 'resting') state.cancel?.();
    const answered = (reply: Reply<null>) => receiveReply(entry, reply);
    entry.state = { kind: 'sent', withdraw: batcher.send({ result, isRetry: attempt > 0, answered }) };
  };

  /** Ends the call now instead of at its deadline. */
  const sendInstead = (entry: Entry, sentence: string) => {
    const body = resultInstead(entry.result.body, sentence);
    entry.result = { ...entry.result, body };
    entry.insteadOf = sentence;
    send(entry);
  };

  const giveUpOldest = () => {
    for (const entry of [...entries]) {
      if (entries.length <= maxResults && lengthOf(entries) <= maxLength) return;
      stop(entry);
      remove(entry, 'too many results wait');
    }
  };

  return {
    /** Resolves when the result was accepted, refused or given up. A repeat posts a waiting one at once. */
    add: (result: Result) => {
      const same = entries.find((entry) => isSame(entry.result, result));
      if (same) {
        if (isReady && same.state.kind === 'resting') send(same);
        return same.done.promise;
      }
      const done = Promise.withResolvers<void>();
      const entry: Entry = { result, insteadOf: null, attempt: 0, state: { kind: 'resting' }, done };
      entries.push(entry);
      giveUpOldest();
      if (isReady && entries.includes(entry)) send(entry);
      return entry.done.promise;
    },
    /** The server can be reached again: waiting results are posted now. */
    flush: () => {
      isReady = true;
      for (const entry of [...entries]) {
        entry.attempt = 0;
        if (entry.state.kind === 'resting') send(entry);
      }
    },
    empty: () =>
      entries.length === 0 ? Promise.resolve() : new Promise<void>((resolve) => whenEmpty.push(resolve)),
    close: () => {
      isClosed = true;
      for (const entry of entries.splice(0)) {
        stop(entry);
        entry.done.resolve();
      }
      reportEmpty();
    },
  };
};

export type Outbox = ReturnType<typeof createOutbox>;
