import type { AskAnswer } from '@drawbridge/contracts/agent/asks';
import type {
  Attachment,
  SendMode,
  ThreadFrame,
  ThreadNow,
  ThreadView,
} from '@drawbridge/contracts/agent/threads';
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
import { attempt, failureOf, type Failure } from '../../api/index.ts';
import type { ChatApi, Framed } from './chat-api.ts';
import { keepStream } from './keep-stream.ts';

interface Needs {
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
  partial: [],
};

const frameOf = (framed: Framed): ThreadFrame => ('data' in framed ? framed.data : framed);

/** One conversation: the snapshot, the events after it, and what the person does in it. */
export const createThread = ({ api, clock, threadId, isNew }: Needs) => {
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
      open: (ends, onGood) =>
        api.events.subscribe(
          { threadId, lastEventId: String(view.value?.lastSeq ?? 0) },
          {
            ...ends,
            onData: (framed) => {
              onGood();
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

  const send = async (message: string, mode: SendMode, attachments: Attachment[] = []) => {
    const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    isSending.value = !isRunning.value;
    const failed = await attempt(() => api.send.mutate({ threadId, message, mode, attachments, timeZone }));
    if (failed) isSending.value = false;
    return failed;
  };

  const confirm = async (requestId: string, answer: AskAnswer) => {
    const failed = await attempt(() => api.confirm.mutate({ requestId, answer }));
    // Answered elsewhere, or gone: the event that closes the question is on its way, or was missed.
    if (failed?.code === 'ALREADY_DECIDED' || failed?.code === 'CONFIRMATION_CLOSED') void load();
    return failed;
  };

  const openRun = computed(() => view.value?.runs.findLast(({ status }) => status === null) ?? null);
  const isRunning = computed(() => openRun.value !== null);
  const asks = computed(() => Object.values(view.value?.asks ?? {}));
  /** Those that have no run yet. */
  const queue = computed(() => now.value.queue.filter(({ id }) => view.value?.messages[id] === undefined));

  const afterwards = async (change: () => Promise<unknown>) =>
    attempt(async () => {
      await change();
      now.value = { ...now.value, queue: await api.queue.list.query({ threadId }) };
    });

  return {
    threadId,
    view,
    live,
    now,
    before,
    failure,
    isSending,
    openRun,
    isRunning,
    asks,
    queue,
    load,
    loadOlder,
    follow,
    onFrame,
    send,
    confirm,
    cancel: () => attempt(() => api.cancel.mutate({ threadId })),
    queued: {
      edit: (id: string, text: string) => afterwards(() => api.queue.edit.mutate({ threadId, id, text })),
      remove: (id: string) => afterwards(() => api.queue.remove.mutate({ threadId, id })),
      steer: (id: string) => afterwards(() => api.queue.steer.mutate({ threadId, id })),
      resume: () => attempt(() => api.queue.resume.mutate({ threadId })),
    },
    tasks: {
      cancel: (taskId: string) => attempt(() => api.tasks.cancel.mutate({ threadId, taskId })),
      correct: (taskId: string, text: string) =>
        attempt(() => api.tasks.correct.mutate({ threadId, taskId, text })),
    },
  };
};

export type ChatThread = ReturnType<typeof createThread>;
