import type { AskAnswer, OpenAsk } from '@drawbridge/contracts/agent/asks';
import type { LiveThreadEvent, StoredEvent } from '@drawbridge/contracts/agent/events';
import type { Memory, MemoryInput } from '@drawbridge/contracts/agent/memory';
import type {
  ChangeThreadInput,
  QueuedMessage,
  RunDetails,
  SendInput,
  SendReply,
  Thread,
  ThreadNow,
  ThreadPage,
  ThreadSnapshot,
} from '@drawbridge/contracts/agent/threads';
import type { Canvas } from './canvas/api.ts';
import type { Lanes } from './lanes/api.ts';
import type { FileRow, ToolCallRow } from './rows.ts';

/** What a reader of a thread has missed. */
export interface MissedEvents {
  events: { id: number; event: StoredEvent }[];
  /** Older than what is kept, or never written: the reader reads the snapshot. */
  isReset: boolean;
  lastSeq: number;
}

/** `stored`: read the events behind the last one. `changed`: read them, and `now`. */
export type ThreadSignal =
  | { type: 'stored' }
  | { type: 'changed' }
  | { type: 'live'; event: LiveThreadEvent };

export interface Threads {
  list(userId: string, input: { query?: string; cursor?: string; limit: number }): Promise<ThreadPage>;
  create(userId: string, threadId: string): Promise<Thread>;
  get(userId: string, threadId: string): Promise<Thread>;
  /** How many questions wait for the person, in all threads. */
  waiting(userId: string): Promise<number>;
  change(userId: string, threadId: string, change: ChangeThreadInput): Promise<Thread>;
  /** Stops what runs in it first; all that is its own goes with it. */
  remove(userId: string, threadId: string): Promise<void>;
  /** The same for every thread of the user. */
  removeAll(userId: string): Promise<void>;
  /** The newest runs, or those before one; with the number of the event to go on from. */
  snapshot(
    userId: string,
    threadId: string,
    input: { before?: string; limit: number },
  ): Promise<ThreadSnapshot>;
  now(userId: string, threadId: string): Promise<ThreadNow>;
  eventsAfter(userId: string, threadId: string, seq: number): Promise<MissedEvents>;
  /** Live events and wake-ups of one thread; the returned function stops it. */
  listen(userId: string, threadId: string, listener: (signal: ThreadSignal) => void): () => void;
  /** A thread of the user was made, changed, removed, or has another status. */
  onChanged(userId: string, listener: (threadId: string) => void): () => void;
  run(userId: string, runId: string): Promise<RunDetails>;
  toolCall(userId: string, toolCallId: string): Promise<ToolCallRow>;
  file(userId: string, fileId: string): Promise<FileRow>;
}

/** A message that waits in a thread. */
export interface QueuedId {
  threadId: string;
  id: string;
}

/** A background or planned task of a thread. */
export interface TaskId {
  threadId: string;
  taskId: string;
}

export interface Queue {
  list(userId: string, threadId: string): Promise<QueuedMessage[]>;
  edit(userId: string, queued: QueuedId, text: string): Promise<QueuedMessage>;
  remove(userId: string, queued: QueuedId): Promise<void>;
  /** Puts it into the open run at once. */
  steer(userId: string, queued: QueuedId): Promise<SendReply>;
  /** Runs what Stop has paused. */
  resume(userId: string, threadId: string): Promise<void>;
}

/** The built-in agent. Ids of another user answer like unknown ones: `notFound`. */
export interface Agent {
  /** What all doors but the panel's send by. */
  lanes: Lanes;
  /** A message of the person. Throws `runActive`, `queueFull`, `tooManyRuns`, `budgetSpent`, `agentOff`. */
  send(userId: string, threadId: string, input: SendInput): Promise<SendReply>;
  /** Starts a run without a new message. Throws `notFound` and what `send` throws. */
  continue(userId: string, threadId: string): Promise<{ runId: string }>;
  /** Stops the run of the thread and its background tasks within 2 s, and holds what waits. */
  cancel(userId: string, threadId: string): Promise<void>;
  /** The same for all threads of the user. */
  cancelAll(userId: string): Promise<void>;
  /** Throws `notFound`, `alreadyDecided`, `confirmationClosed`, `badRequest`. */
  confirm(userId: string, requestId: string, answer: AskAnswer): Promise<{ runId: string | null }>;
  /** The agent's own open questions in all chats, oldest first. */
  openAsks(userId: string): Promise<OpenAsk[]>;
  threads: Threads;
  canvas: Canvas;
  queue: Queue;
  tasks: {
    cancel(userId: string, task: TaskId): Promise<void>;
    correct(userId: string, task: TaskId, text: string): Promise<void>;
  };
  memory: {
    get(userId: string): Promise<Memory>;
    change(userId: string, input: MemoryInput): Promise<Memory>;
  };
  /** Tokens and cost of the user's day. */
  usage(userId: string): Promise<{ tokens: number; costMicro: number }>;
  /** Ends threads that were not used for that long. */
  forgetOld(signal: AbortSignal): Promise<void>;
  /** Resumes what a stopped server left open. Call it after the gateway's start, before the doors open. */
  start(): Promise<void>;
  /** Aborts model calls; their steps begin again after the next start. */
  stop(): Promise<void>;
}
