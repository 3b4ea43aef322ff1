import type { LiveThreadEvent, StoredEvent, StoredEventType } from '@drawbridge/contracts/agent/events';
import type { PartialText } from '@drawbridge/contracts/agent/threads';
import { createBoundedMap, createEmitter, createTimer, type Clock, type Timer } from '@drawbridge/kit';
import type { Subscription, ThreadRelay, ThreadSignal } from '../../ports/servers.ts';
import { keyOf, type ThreadKey } from '../../rows/keys.ts';
import { createFollowed } from './followed.ts';

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

/** A text that is being written, with what its live events have beside it. */
type Writing = PartialText & Pick<Delta, 'runId'>;

/**
 * The texts of a thread with one more piece: a new step, or a repeated one, replaces what was there. A piece
 * after a gap, from another server, is left out.
 */
const withDelta = (texts: readonly Writing[], { type, agentId, runId, payload }: Delta): Writing[] => {
  if (agentId === null) return [...texts];
  const { step, text, offset } = payload;
  const kind = type === 'text-delta' ? 'text' : 'reasoning';
  const isSame = (one: Writing) => one.agentId === agentId && one.kind === kind && one.step === step;
  const known = texts.find(isSame)?.text ?? '';
  if (offset > known.length) return [...texts];
  const others = texts.filter((one) => !isSame(one) && !(one.agentId === agentId && one.step !== step));
  // A piece that comes twice or late takes nothing away.
  const next = known.startsWith(text, offset) ? known : known.slice(0, offset) + text;
  return [...others, { agentId, runId, step, kind, text: next }];
};

/** Texts that are part of these events are not being written any more. */
const withoutStored = (texts: readonly Writing[], events: readonly StoredEvent[]): Writing[] =>
  texts.filter(
    ({ agentId, step }) =>
      !events.some(
        (event) =>
          event.agentId === agentId &&
          (event.type === 'agent-completed' ||
            ((event.type === 'text-block' || event.type === 'reasoning-block') &&
              event.payload.step >= step)),
      ),
  );

/** What is written of a text as one piece from its beginning. */
const wholeOf = ({ agentId, runId, step, kind, text }: Writing, ts: number): Delta => ({
  type: kind === 'text' ? 'text-delta' : 'reasoning-delta',
  runId,
  agentId,
  ts,
  payload: { text, step, offset: 0 },
});

interface Gathered {
  thread: ThreadKey;
  events: Delta[];
  timer: Timer;
}

type Emit = (thread: ThreadKey, signal: ThreadSignal) => void;

/** Gathers live text, so that a reader is not woken for each word. */
const createGathering = (clock: Clock, emit: Emit) => {
  const gathered = new Map<string, Gathered>();

  const flush = (key: string) => {
    const waiting = gathered.get(key);
    if (!waiting) return;
    gathered.delete(key);
    waiting.timer.cancel();
    for (const event of waiting.events) emit(waiting.thread, { type: 'live', event });
  };

  /** Opens a window in which text is gathered; it stays open while text comes. */
  const openWindow = (thread: ThreadKey) => {
    const key = keyOf(thread);
    const timer = createTimer(clock);
    gathered.set(key, { thread, events: [], timer });
    timer.start(gatherMs, () => {
      const hasMore = gathered.get(key)?.events.length !== 0;
      flush(key);
      if (hasMore) openWindow(thread);
    });
  };

  return {
    flush,
    /** The first text after a pause goes out at once, so that the reader sees it without a delay. */
    add: (thread: ThreadKey, event: Delta) => {
      const key = keyOf(thread);
      const waiting = gathered.get(key);
      if (!waiting) {
        emit(thread, { type: 'live', event });
        return openWindow(thread);
      }
      const { events } = waiting;
      const last = events.at(-1);
      if (last && continues(last, event)) events[events.length - 1] = joined(last, event);
      else events.push(event);
      const length = events.reduce((sum, { payload }) => sum + payload.text.length, 0);
      if (length < gatherLength) return;
      flush(key);
      openWindow(thread);
    },
  };
};

const subscribed = (stop: () => void, elsewhere: Subscription | undefined): Subscription => ({
  ready: elsewhere?.ready ?? Promise.resolve(),
  stop: () => {
    stop();
    elsewhere?.stop();
  },
});

interface FeedNeeds {
  clock: Clock;
  /** Undefined for the only server of its store. */
  relay?: ThreadRelay | undefined;
  /** Another text after most changes of a thread's rows; used with a relay. */
  versionOf?(thread: ThreadKey): Promise<string>;
  onError(error: unknown): void;
}

export type Feed = ReturnType<typeof createFeed>;

/** Wake-ups and live events of threads, inside one process and between the servers of a store. */
export const createFeed = ({ clock, relay, versionOf = async () => '', onError }: FeedNeeds) => {
  const signals = createEmitter<ThreadSignal>(onError);
  const changes = createEmitter<string>(onError);
  const partials = createBoundedMap<string, Writing[]>({ maxEntries: maxThreads });
  const announced = new Set<string>();
  const emit: Emit = (thread, signal) => {
    signals.emit(keyOf(thread), signal);
    relay?.publish(thread, signal);
  };
  const gathering = createGathering(clock, emit);
  const keep = (key: string, event: Delta) =>
    void partials.set(key, withDelta(partials.get(key) ?? [], event));
  const followed =
    relay &&
    createFollowed(relay, {
      clock,
      emit: (key, signal) => {
        if (signal.type === 'live' && isDelta(signal.event)) keep(key, signal.event);
        signals.emit(key, signal);
      },
      emitChange: changes.emit,
      versionOf,
      onError,
    });

  const announce = (userId: string, threadId: string) => {
    const key = keyOf({ userId, threadId });
    if ((changes.count(userId) === 0 && !relay) || announced.has(key)) return;
    announced.add(key);
    clock.after(changedEveryMs, () => {
      announced.delete(key);
      changes.emit(userId, threadId);
      relay?.publishChange({ userId, threadId });
    });
  };

  const signal = (thread: ThreadKey, type: 'stored' | 'changed') => {
    gathering.flush(keyOf(thread));
    emit(thread, { type });
    announce(thread.userId, thread.threadId);
  };

  return {
    /** Events of one transaction are stored; `now` is as before where each of them belongs to a step. */
    stored: (userId: string, threadId: string, events: readonly StoredEvent[]) => {
      const key = keyOf({ userId, threadId });
      const texts = relay && partials.get(key);
      if (texts) partials.set(key, withoutStored(texts, events));
      signal({ userId, threadId }, events.every(({ type }) => ofSteps.has(type)) ? 'stored' : 'changed');
    },
    live: (userId: string, threadId: string, event: LiveThreadEvent) => {
      const thread = { userId, threadId };
      const key = keyOf(thread);
      if (isDelta(event)) keep(key, event);
      if (signals.count(key) === 0 && !relay) return;
      if (isDelta(event)) return gathering.add(thread, event);
      gathering.flush(key);
      emit(thread, { type: 'live', event });
    },
    changed: (userId: string, threadId: string) => signal({ userId, threadId }, 'changed'),
    /** Read the rows once it is ready: nothing is missed. */
    listen: (userId: string, threadId: string, listener: (signal: ThreadSignal) => void): Subscription =>
      subscribed(signals.on(keyOf({ userId, threadId }), listener), followed?.thread({ userId, threadId })),
    /** At most each 200 ms for a thread. */
    onChanged: (userId: string, listener: (threadId: string) => void): Subscription =>
      subscribed(changes.on(userId, listener), followed?.user(userId)),
    writing: (userId: string, threadId: string, text: Pick<PartialText, 'agentId' | 'step'>) =>
      partials
        .get(keyOf({ userId, threadId }))
        ?.find(({ agentId, step }) => agentId === text.agentId && step === text.step),
    follow: (userId: string, threadId: string): (() => void) =>
      subscribed(() => {}, followed?.thread({ userId, threadId })).stop,
    /** The texts that agents are writing, one for each agent and kind; drops those that are not open. */
    partial: (userId: string, threadId: string, isOpen: (text: PartialText) => boolean): PartialText[] => {
      const key = keyOf({ userId, threadId });
      const open = (partials.get(key) ?? []).filter(isOpen);
      if (open.length === 0) partials.delete(key);
      else partials.set(key, open);
      return open.map(({ runId: _runId, ...text }) => text);
    },
    /** Other servers get the texts that agents are writing from their beginning. */
    publishPartial: (thread: ThreadKey): void => {
      for (const text of partials.get(keyOf(thread)) ?? [])
        relay?.publish(thread, { type: 'live', event: wholeOf(text, clock.now()) });
    },
  };
};
