import type { AskAnswer, OpenAsk } from '@drawbridge/contracts/agent/asks';
import type { AnswerPlace } from '@drawbridge/contracts/confirmation';
import type { Credits } from '@drawbridge/contracts/agent/credits';
import type { Memory, MemoryInput } from '@drawbridge/contracts/agent/memory';
import type { SendInput, SendReply } from '@drawbridge/contracts/agent/threads';
import type { RuntimeChoices } from '@drawbridge/contracts/machines/runtimes';
import type { Canvas } from '../memory/canvas.ts';
import type { RunRow } from '../rows/rows.ts';
import type { Sender } from '../rows/sender.ts';
import type { Lanes } from './lanes/lanes.ts';
import type { Queue } from './lanes/queue.ts';
import type { Threads } from './threads/threads.ts';

/** A background or planned task of a thread. */
interface TaskId {
  threadId: string;
  taskId: string;
}

/** A run that was not stopped, and how long it took, in milliseconds. `sender`: of `Sender.key`. */
export interface EndedRun extends Pick<RunRow, 'userId' | 'threadId' | 'id' | 'kind' | 'sender'> {
  ms: number;
}

/** The built-in agent. Ids of another user answer like unknown ones: `notFound`. */
export interface Agent {
  /** What all doors but the panel's send by. */
  lanes: Lanes;
  /** A message or a command. Throws `runActive`, `queueFull`, `tooManyRuns`, `budgetSpent`, `agentOff`. */
  send(sender: Sender, threadId: string, input: SendInput): Promise<SendReply>;
  /** Starts a run without a new message. Throws `notFound` and what `send` throws. */
  continue(sender: Sender, threadId: string): Promise<{ runId: string }>;
  /** Stops the run of the thread and its background tasks within 2 s, and holds what waits. */
  cancel(userId: string, threadId: string): Promise<void>;
  /** The same for all threads of the user; resolves to how many there were. */
  cancelAll(userId: string): Promise<number>;
  /** Throws `notFound`, `alreadyDecided`, `confirmationClosed`, `badRequest`. */
  confirm(
    userId: string,
    requestId: string,
    answer: AskAnswer,
    via?: AnswerPlace | null,
  ): Promise<{ runId: string | null }>;
  /** The agent's own open questions in all chats, oldest first. */
  openAsks(userId: string): Promise<OpenAsk[]>;
  /** What can answer a thread, and what was chosen there. */
  runtimes(userId: string, threadId: string): Promise<RuntimeChoices>;
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
  /** What the user's day has used, and how much of it is left. */
  credits(userId: string): Promise<Credits>;
  /** Called when a model call of the user has been counted; the returned function stops it. */
  onUsage(userId: string, listener: () => void): () => void;
  /** Called once a run has ended that was not stopped; the returned function stops it. */
  onRunEnded(listener: (run: EndedRun) => void): () => void;
  /** Ends threads that were not used for that long. */
  forgetOld(signal: AbortSignal): Promise<void>;
  /** Resumes what a stopped server left open. Call it after the gateway's start, before the doors open. */
  start(): Promise<void>;
  /** Aborts model calls; their steps begin again after the next start. */
  stop(): Promise<void>;
}
