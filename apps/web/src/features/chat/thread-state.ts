import type { ThreadFrame, ThreadNow, ThreadView } from '@drawbridge/contracts/agent/threads';
import {
  emptyView,
  liveOf,
  noLive,
  reduce,
  reduceLive,
  settleLive,
  withOlder,
  type LiveText,
} from '@drawbridge/agent/view';
import type { Clock } from '@drawbridge/kit';
import { computed, ref, shallowRef } from 'vue';
import { attempt, failureOf, keepStream, type Failure } from '../../api/index.ts';
import type { ChatApi, Framed } from './chat-api.ts';

export interface ThreadNeeds {
  api: ChatApi;
  clock: Clock;
  threadId: string;
  /** The server does not know it before its first message. */
  isNew: boolean;
}

const idle: ThreadNow = {
  status: 'idle',
  runId: null,
  backgroundTasks: [],
  queue: [],
  queuePaused: false,
  canvasRev: 0,
  partial: [],
};

const frameOf = (framed: Framed): ThreadFrame => ('data' in framed ? framed.data : framed);

/** What one conversation shows: the snapshot, and the events after it. */
export const createThreadState = ({ api, clock, threadId, isNew }: ThreadNeeds) => {
  const view = shallowRef<ThreadView | null>(isNew ? emptyView() : null);
  const live = shallowRef<LiveText>(noLive);
  const now = shallowRef<ThreadNow>(idle);
  /** Pass it for older runs; null at the beginning. */
  const before = ref<string | null>(null);
  const failure = ref<Failure | null>(null);
  /** A message was sent, and its run has not begun. */
  const isSending = ref(false);
  let newest = 0;

  /** Reads the snapshot; older pages that were read stay. */
  const load = async () => {
    newest += 1;
    const own = newest;
    try {
      const snapshot = await api.messages.query({ threadId });
      if (own !== newest) return;
      const known = view.value;
      if (known === null || known.lastSeq === 0) before.value = snapshot.before;
      if (known === null) view.value = snapshot.view;
      else if (snapshot.view.lastSeq >= known.lastSeq) view.value = withOlder(snapshot.view, known);
      now.value = snapshot.now;
      live.value = liveOf(live.value, snapshot.now.partial);
      failure.value = null;
    } catch (error) {
      if (own === newest) failure.value = failureOf(error);
    }
  };

  const onFrame = (frame: ThreadFrame) => {
    switch (frame.type) {
      case 'event': {
        const known = view.value ?? emptyView();
        // A number is missing: what was sent between is in the snapshot.
        if (frame.id > known.lastSeq + 1) return void load();
        view.value = reduce(known, frame.id, frame.event);
        live.value = settleLive(live.value, frame.event);
        if (frame.event.type === 'run-start') isSending.value = false;
        return;
      }
      case 'live':
        live.value = reduceLive(live.value, frame.event);
        return;
      case 'run-sync':
        now.value = frame.now;
        live.value = liveOf(live.value, frame.now.partial);
        return;
      case 'reset':
        return void load();
      default:
        frame satisfies never;
    }
  };

  /** Follows the thread until the returned function is called. */
  const follow = (): (() => void) =>
    keepStream({
      clock,
      capMs: 10_000,
      open: (ends, onGood) =>
        api.events.subscribe(
          { threadId, lastEventId: String(view.value?.lastSeq ?? 0) },
          {
            ...ends,
            onData: (framed) => {
              onGood();
              // What could not be read while the server was away can be read now.
              if (failure.value !== null) void load();
              onFrame(frameOf(framed));
            },
          },
        ),
    });

  const loadOlder = async () => {
    if (before.value === null) return;
    const failed = await attempt(async () => {
      const older = await api.messages.query({ threadId, before: before.value ?? '' });
      view.value = withOlder(view.value ?? emptyView(), older.view);
      before.value = older.before;
    });
    failure.value = failed;
  };

  const openRun = computed(() => view.value?.runs.findLast(({ status }) => status === null) ?? null);
  const asks = computed(() => Object.values(view.value?.asks ?? {}));
  /** Those that have no run yet. */
  const queue = computed(() => now.value.queue.filter(({ id }) => view.value?.messages[id] === undefined));

  return { view, live, now, before, failure, isSending, openRun, asks, queue, load, loadOlder, follow };
};
