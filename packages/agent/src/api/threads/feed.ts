import type { LiveThreadEvent, StoredEvent, StoredEventType } from '@drawbridge/contracts/agent/events';
import type { PartialText } from '@drawbridge/contracts/agent/threads';
import { createBoundedMap, createEmitter, createTimer, type Clock, type Timer } from '@drawbridge/kit';
import { keyOf } from '../../rows/keys.ts';

/** `stored`: read the events behind the last one. `changed`: read them, and `now`. */
export type ThreadSignal =
  | { type: 'stored' }
  | { type: 'changed' }
  | { type: 'live'; event: LiveThreadEvent };

export interface Subscription {
  /** Resolves when signals arrive. */
  ready: Promise<void>;
  stop(): void;
}

const subscribed = (stop: () => void): Subscription => ({ ready: Promise.resolve(), stop });

/** Live text is published after this time, or at this length in UTF-16 code units. */
const gatherMs = 50;
const gatherLength = 2 * 1024;
const changedEveryMs = 200;
/** They change neither the status of a thread nor its queue. */
const ofSteps: ReadonlySet<StoredEventType> = new Set([
  'text-block',
  'reasoning-block',
  'tool-call',
  'tool-result',
  'tool-error',
]);
/** Threads whose unfinished texts are kept. */
const maxThreads = 500;

type Delta = Extract<LiveThreadEvent, { type: 'text-delta' | 'reasoning-delta' }>;

const isDelta = (event: LiveThreadEvent): event is Delta =>
  event.type === 'text-delta' || event.type === 'reasoning-delta';

const continues = (last: Delta, next: Delta) =>
  last.type === next.type &&
  last.agentId === next.agentId &&
  last.payload.step === next.payload.step &&
  last.payload.offset + last.payload.text.length === next.payload.offset;

const joined = (last: Delta, { payload }: Delta): Delta => ({
  ...last,
  payload: { ...last.payload, text: last.payload.text + payload.text },
});

/** The texts of a thread with one more piece: a new step, or a repeated one, replaces what was there. */
const withDelta = (texts: readonly PartialText[], { type, agentId, payload }: Delta): PartialText[] => {
  if (agentId === null) return [...texts];
  const { step, text, offset } = payload;
  const kind = type === 'text-delta' ? 'text' : 'reasoning';
  const isSame = (one: PartialText) => one.agentId === agentId && one.kind === kind && one.step === step;
  const before = texts.find(isSame)?.text.slice(0, offset) ?? '';
  const others = texts.filter((one) => !isSame(one) && !(one.agentId === agentId && one.step !== step));
  return [...others, { agentId, step, kind, text: before + text }];
};

interface Gathered {
  events: Delta[];
  timer: Timer;
}

export type Feed = ReturnType<typeof createFeed>;

/** Wake-ups and live events of threads inside one process. */
export const createFeed = ({ clock, onError }: { clock: Clock; onError(error: unknown): void }) => {
  const signals = createEmitter<ThreadSignal>(onError);
  const changes = createEmitter<string>(onError);
  const partials = createBoundedMap<string, PartialText[]>({ maxEntries: maxThreads });
  const gathered = new Map<string, Gathered>();
  const announced = new Set<string>();

  const flush = (key: string) => {
    const waiting = gathered.get(key);
    if (!waiting) return;
    gathered.delete(key);
    waiting.timer.cancel();
    for (const event of waiting.events) signals.emit(key, { type: 'live', event });
  };

  /** Opens a window in which text is gathered; it stays open while text comes. */
  const openWindow = (key: string) => {
    const timer = createTimer(clock);
    gathered.set(key, { events: [], timer });
    timer.start(gatherMs, () => {
      const hasMore = gathered.get(key)?.events.length !== 0;
      flush(key);
      if (hasMore) openWindow(key);
    });
  };

  /** The first text after a pause goes out at once, so that the reader sees it without a delay. */
  const gather = (key: string, event: Delta) => {
    const waiting = gathered.get(key);
    if (!waiting) {
      signals.emit(key, { type: 'live', event });
      return openWindow(key);
    }
    const { events } = waiting;
    const last = events.at(-1);
    if (last && continues(last, event)) events[events.length - 1] = joined(last, event);
    else events.push(event);
    const length = events.reduce((sum, { payload }) => sum + payload.text.length, 0);
    if (length < gatherLength) return;
    flush(key);
    openWindow(key);
  };

  const announce = (userId: string, threadId: string) => {
    const key = keyOf({ userId, threadId });
    if (changes.count(userId) === 0 || announced.has(key)) return;
    announced.add(key);
    clock.after(changedEveryMs, () => {
      announced.delete(key);
      changes.emit(userId, threadId);
    });
  };

  const signal = (userId: string, threadId: string, type: 'stored' | 'changed') => {
    const key = keyOf({ userId, threadId });
    flush(key);
    signals.emit(key, { type });
    announce(userId, threadId);
  };

  return {
    /** Events of one transaction are stored; `now` is as before where each of them belongs to a step. */
    stored: (userId: string, threadId: string, events: readonly StoredEvent[]) =>
      signal(userId, threadId, events.every(({ type }) => ofSteps.has(type)) ? 'stored' : 'changed'),
    live: (userId: string, threadId: string, event: LiveThreadEvent) => {
      const key = keyOf({ userId, threadId });
      if (isDelta(event)) partials.set(key, withDelta(partials.get(key) ?? [], event));
      if (signals.count(key) === 0) return;
      if (isDelta(event)) return gather(key, event);
      flush(key);
      signals.emit(key, { type: 'live', event });
    },
    changed: (userId: string, threadId: string) => signal(userId, threadId, 'changed'),
    /** Read the rows once it is ready: nothing is missed. */
    listen: (userId: string, threadId: string, listener: (signal: ThreadSignal) => void): Subscription =>
      subscribed(signals.on(keyOf({ userId, threadId }), listener)),
    /** At most each 200 ms for a thread. */
    onChanged: (userId: string, listener: (threadId: string) => void): Subscription =>
      subscribed(changes.on(userId, listener)),
    /** The texts that agents are writing, one for each agent and kind; drops those that are not open. */
    partial: (userId: string, threadId: string, isOpen: (text: PartialText) => boolean) => {
      const key = keyOf({ userId, threadId });
      const open = (partials.get(key) ?? []).filter(isOpen);
      if (open.length === 0) partials.delete(key);
      else partials.set(key, open);
      return open;
    },
  };
};
