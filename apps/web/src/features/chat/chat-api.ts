import type { AskAnswer } from '@drawbridge/contracts/agent/asks';
import type { Memory, MemoryInput } from '@drawbridge/contracts/agent/memory';
import type {
  AgentSettings,
  AgentSettingsInput,
  AgentStatus,
  VerifyReply,
  VerifyTarget,
} from '@drawbridge/contracts/agent/settings';
import type {
  Attachment,
  ChangeThreadInput,
  QueuedMessage,
  SendMode,
  SendReply,
  Thread,
  ThreadFrame,
  ThreadPage,
  ThreadSnapshot,
} from '@drawbridge/contracts/agent/threads';
import { useApi } from '../../api/index.ts';

interface Query<In, Out> {
  query(input: In): Promise<Out>;
}
interface Mutation<In, Out = unknown> {
  mutate(input: In): Promise<Out>;
}

/** A stored event comes with its number as the stream's id, every other frame without one. */
export type Framed = ThreadFrame | { id: string; data: ThreadFrame };

interface Listener<Data> {
  onData(data: Data): void;
  onError(): void;
  onComplete(): void;
  onConnectionStateChange?(state: { error: unknown }): void;
}
interface Subscription<In, Data> {
  subscribe(input: In, listener: Listener<Data>): { unsubscribe(): void };
}

interface OfThread {
  threadId: string;
}
interface OfMessage extends OfThread {
  id: string;
}
interface OfTask extends OfThread {
  taskId: string;
}
interface Send extends OfThread {
  message: string;
  mode: SendMode;
  attachments?: Attachment[];
  timeZone?: string;
}

/** A tool call with its whole result. Times in milliseconds since 1970. */
export interface WholeCall {
  id: string;
  tool: string;
  arguments: string;
  result: { type: string; text?: string }[] | null;
  whole: string | null;
}

/** The procedures of the built-in agent below `agent`. */
export interface ChatApi {
  status: Query<void, AgentStatus>;
  send: Mutation<Send, SendReply>;
  cancel: Mutation<OfThread>;
  confirm: Mutation<{ requestId: string; answer: AskAnswer }>;
  messages: Query<OfThread & { before?: string; limit?: number }, ThreadSnapshot>;
  toolCall: Query<{ toolCallId: string }, WholeCall>;
  usage: Query<void, { tokens: number; costMicro: number }>;
  threads: {
    list: Query<{ query?: string; cursor?: string; limit?: number }, ThreadPage>;
    create: Mutation<OfThread, Thread>;
    get: Query<OfThread, Thread>;
    change: Mutation<OfThread & ChangeThreadInput, Thread>;
    remove: Mutation<OfThread>;
  };
  queue: {
    list: Query<OfThread, QueuedMessage[]>;
    edit: Mutation<OfMessage & { text: string }>;
    remove: Mutation<OfMessage>;
    steer: Mutation<OfMessage>;
    resume: Mutation<OfThread>;
  };
  tasks: { cancel: Mutation<OfTask>; correct: Mutation<OfTask & { text: string }> };
  memory: { get: Query<void, Memory>; change: Mutation<MemoryInput, Memory> };
  settings: {
    get: Query<void, AgentSettings>;
    change: Mutation<AgentSettingsInput, AgentSettings>;
    verify: Mutation<{ target: VerifyTarget }, VerifyReply>;
  };
  events: Subscription<OfThread & { lastEventId: string }, Framed>;
}

/** The one place that names these procedures; a server without them answers `NOT_FOUND`. */
export const useChatApi = (): ChatApi => (useApi() as unknown as { agent: ChatApi }).agent;
