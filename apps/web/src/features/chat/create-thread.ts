import type { AskAnswer } from '@drawbridge/contracts/agent/asks';
import type { Attachment, SendMode, ViewMessage } from '@drawbridge/contracts/agent/threads';
import { computed, ref, shallowRef } from 'vue';
import { attempt, type Failure } from '../../api/index.ts';
import { attachmentsOf } from './files/attachments.ts';
import { createThreadState, type ThreadNeeds } from './thread-state.ts';

type Send = (text: string, mode: SendMode, files: Attachment[]) => Promise<{ failed: Failure | null }>;

/** Messages of the chat that are sent once more. */
const createRepeats = (send: Send) => {
  /** What the prompt takes next: a message that is changed and sent again. */
  const draft = shallowRef<{ at: number; text: string; files: { attachment: Attachment }[] } | null>(null);
  const withFiles = async (
    { text, files }: ViewMessage,
    use: (text: string, attachments: Attachment[]) => Promise<Failure | null> | null,
  ): Promise<Failure | null> => {
    const attachments = await attachmentsOf(files);
    return Array.isArray(attachments) ? use(text, attachments) : attachments;
  };
  const edit = (message: ViewMessage) =>
    withFiles(message, (text, attachments) => {
      draft.value = { at: message.at, text, files: attachments.map((attachment) => ({ attachment })) };
      return null;
    });
  /** Sends a message once more, as it was. */
  const repeat = (message: ViewMessage) =>
    withFiles(message, async (text, attachments) => (await send(text, 'queue', attachments)).failed);
  return { draft, edit, repeat };
};

/** One conversation: what it shows, and what the person does in it. */
export const createThread = (needs: ThreadNeeds) => {
  const { api, threadId } = needs;
  const state = createThreadState(needs);
  const { now, isSending, load } = state;
  const isRunning = computed(() => state.openRun.value !== null);

  /** The machine that its calls go to; null for the default one. */
  const machineId = ref<string | null>(null);
  const chooseMachine = (id: string | null) =>
    attempt(async () => {
      // A new thread gets it with its first message.
      if (state.view.value?.lastSeq) await api.threads.change.mutate({ threadId, machineId: id });
      machineId.value = id;
    });

  /** A message; or a command such as `/queue`, whose answer is no part of the chat. */
  const send = async (message: string, mode: SendMode, attachments: Attachment[] = []) => {
    const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    isSending.value = !isRunning.value;
    let answer: string | null = null;
    const failed = await attempt(async () => {
      const reply = await api.send.mutate({
        threadId,
        message,
        mode,
        attachments,
        timeZone,
        ...(machineId.value !== null && { machineId: machineId.value }),
      });
      if (!('runId' in reply)) isSending.value = false;
      if ('answer' in reply) ({ answer } = reply);
    });
    if (failed) isSending.value = false;
    return { failed, answer };
  };

  /** Starts a run without a new message; `native`: from now on the built-in agent answers the chat. */
  const resume = async (native = false) => {
    isSending.value = true;
    const choice = { message: '/runtime activate native', attachments: [], mode: 'queue' as const };
    const failed = await attempt(async () => {
      if (native) await api.send.mutate({ threadId, ...choice });
      await api.continue.mutate({ threadId });
    });
    if (failed) isSending.value = false;
    return failed;
  };

  const confirm = async (requestId: string, answer: AskAnswer) => {
    const failed = await attempt(() => api.confirm.mutate({ requestId, answer }));
    // Answered elsewhere, or gone: the event that closes the question is on its way, or was missed.
    if (failed?.code === 'ALREADY_DECIDED' || failed?.code === 'CONFIRMATION_CLOSED') void load();
    return failed;
  };

  const afterwards = (change: () => Promise<unknown>) =>
    attempt(async () => {
      await change();
      now.value = { ...now.value, queue: await api.queue.list.query({ threadId }) };
    });

  return {
    ...state,
    isRunning,
    machineId,
    chooseMachine,
    send,
    ...createRepeats(send),
    resume,
    confirm,
    threadId,
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
