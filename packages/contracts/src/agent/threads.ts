import { z } from 'zod';
import { isoTime } from '../ids.ts';
import { askPayload } from './asks.ts';
import {
  agentKind,
  callOutcome,
  endStatus,
  liveThreadEvent,
  messageFile,
  runKinds,
  storedEvent,
  usage,
} from './events.ts';
import { agentId, fileId, messageId, runId, taskId, threadId, toolCallId } from './ids.ts';
import { planView, taskItem } from './tasks.ts';

/** `background`: no open run, but background agents still work. */
export const threadStatuses = ['active', 'suspended', 'background', 'idle'] as const;
export const threadStatus = z.enum(threadStatuses);
export type ThreadStatus = z.infer<typeof threadStatus>;

export const thread = z.object({
  id: threadId,
  title: z.string(),
  status: threadStatus,
  /** Questions that wait for the person. */
  waiting: z.number().int().nonnegative(),
  machineId: z.string().nullable(),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type Thread = z.infer<typeof thread>;

/** Questions that wait for the person in all threads. */
const waitingInAll = z.number().int().nonnegative();

/** Live: a thread was made, changed, or has another status; null once it is removed. */
export const threadChange = z.object({ threadId, thread: thread.nullable(), waiting: waitingInAll });
export type ThreadChange = z.infer<typeof threadChange>;

const backgroundTask = z.object({
  taskId,
  title: z.string(),
  role: z.string(),
  state: z.enum(['running', 'waiting']),
  startedAt: isoTime,
});

export const queuedMessage = z.object({
  id: messageId,
  text: z.string(),
  files: z.array(messageFile),
  createdAt: isoTime,
});
export type QueuedMessage = z.infer<typeof queuedMessage>;

/** Text of a step that is still being written. */
export const partialText = z.object({
  agentId,
  step: z.number().int(),
  kind: z.enum(['text', 'reasoning']),
  text: z.string(),
});
export type PartialText = z.infer<typeof partialText>;

/** The present state of a thread, beside its numbered events; `queue` in the order of the runs to come. */
export const threadNow = z.object({
  status: threadStatus,
  runId: runId.nullable(),
  backgroundTasks: z.array(backgroundTask),
  queue: z.array(queuedMessage),
  queuePaused: z.boolean(),
  /** Counts the changes of its canvas; 0 while there were none. */
  canvasRev: z.number().int(),
  partial: z.array(partialText),
});
export type ThreadNow = z.infer<typeof threadNow>;

/** A frame of a thread's stream; `event` alone has a number. */
export const threadFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('event'), id: z.number().int(), event: storedEvent }),
  z.object({ type: z.literal('live'), event: liveThreadEvent }),
  /** After the missed events, and each time that it has changed. */
  z.object({ type: z.literal('run-sync'), now: threadNow }),
  /** Older than what is kept: read the messages, then continue from there. */
  z.object({ type: z.literal('reset'), nextEventId: z.number().int() }),
]);
export type ThreadFrame = z.infer<typeof threadFrame>;

/**
 * A line of an agent, in the order of the events: of each step reasoning, text, calls as the model ordered
 * them; then sub-agents and steered messages, which came while the calls ran.
 */
export const viewEntry = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), step: z.number().int(), text: z.string() }),
  z.object({ type: z.literal('reasoning'), step: z.number().int(), text: z.string() }),
  z.object({ type: z.literal('tool'), toolCallId }),
  z.object({ type: z.literal('agent'), agentId }),
  /** A steered message; the message that began a run is the run's `messageId`. */
  z.object({ type: z.literal('user'), messageId }),
]);
export type ViewEntry = z.infer<typeof viewEntry>;

export const viewMessage = z.object({
  id: messageId,
  text: z.string(),
  files: z.array(messageFile),
  source: z.enum(['sent', 'queued', 'steered']),
  hook: z.string().optional(),
  runId: runId.nullable(),
  at: z.number(),
});
export type ViewMessage = z.infer<typeof viewMessage>;

export const viewCall = z.object({
  id: toolCallId,
  agentId,
  toolName: z.string(),
  args: z.record(z.string(), z.unknown()),
  requestId: z.string().optional(),
  /** Null while it is open. */
  outcome: callOutcome.nullable(),
  /** The preview of its event, or the error; empty while it is open. */
  result: z.string(),
  truncated: z.boolean(),
  /** Files of a result with pictures. */
  pictures: z.array(fileId).optional(),
  /** Files that it has sent to the person. */
  files: z.array(messageFile).optional(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
});
export type ViewCall = z.infer<typeof viewCall>;

/**
 * A main agent begins with `run-start` and ends with `run-finish`; role and title are empty unless an
 * `agent-spawned` names them. Every other agent begins with `agent-spawned`, ends with `agent-completed`.
 */
export const viewAgent = z.object({
  id: agentId,
  runId: runId.nullable(),
  parentId: agentId.nullable(),
  kind: agentKind,
  role: z.string(),
  /** The event's title, else its subtitle, else empty. */
  title: z.string(),
  taskId: taskId.optional(),
  /** The sub-agent that it continues, by the id of its first turn. */
  continues: agentId.optional(),
  /** The coding agent that answers it in the place of the model. */
  runtime: z.string().optional(),
  /** What it was asked and did was deleted. */
  isDeleted: z.boolean().optional(),
  goal: z.string().optional(),
  /** Null while it works. */
  status: endStatus.nullable(),
  result: z.string(),
  error: z.string().optional(),
  entries: z.array(viewEntry),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
});
export type ViewAgent = z.infer<typeof viewAgent>;

export const viewRun = z.object({
  id: runId,
  kind: z.enum(runKinds),
  messageId: messageId.nullable(),
  /** Null while it is open. */
  status: endStatus.nullable(),
  reason: z.string().optional(),
  /** Known when it has ended. */
  usage: usage.optional(),
  notices: z.array(z.string()).optional(),
  errors: z.array(z.object({ content: z.string(), code: z.string(), retryable: z.boolean() })),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
});
export type ViewRun = z.infer<typeof viewRun>;

export const viewAsk = askPayload.extend({ at: z.number() });
export type ViewAsk = z.infer<typeof viewAsk>;

/** What a thread shows: the fold of its events, or read from the store with `nextEventId` to read on from. */
export const threadView = z.object({
  title: z.string(),
  /** The number of the newest event that is in it. */
  lastSeq: z.number().int(),
  messages: z.record(messageId, viewMessage),
  /** In the order of their start. */
  runs: z.array(viewRun),
  agents: z.record(agentId, viewAgent),
  calls: z.record(toolCallId, viewCall),
  /** Open questions alone, by `requestId`; a closed one is known by the end of its call. */
  asks: z.record(z.string(), viewAsk),
  tasks: z.array(taskItem),
  plan: planView.nullable(),
});
export type ThreadView = z.infer<typeof threadView>;

export const threadSnapshot = z.object({
  view: threadView,
  now: threadNow,
  /** `view.lastSeq + 1`: subscribe with `lastEventId` one below it. */
  nextEventId: z.number().int(),
  /** Pass it as `before` for older runs; null at the beginning of the thread. */
  before: runId.nullable(),
});
export type ThreadSnapshot = z.infer<typeof threadSnapshot>;

/** What a run has used so far; `agents` in the order of their start, `steps` are their model calls. */
export const runDetails = z.object({
  id: runId,
  model: z.string(),
  usage,
  agents: z.array(
    z.object({
      id: agentId,
      kind: agentKind,
      role: z.string(),
      title: z.string(),
      steps: z.number().int(),
      maxSteps: z.number().int(),
      calls: z.number().int(),
    }),
  ),
  /** Its newest stored events, as they are, oldest first. */
  events: z.array(z.object({ seq: z.number().int(), event: storedEvent })),
});
export type RunDetails = z.infer<typeof runDetails>;

export const maxMessageLength = 32_000;
export const maxAttachments = 10;
/** One attachment, in characters of base64. */
export const maxAttachmentLength = 10 * 1024 * 1024;

/** The types of attachments that the agent takes, and what `mediaTypeOf` says of the bytes of each. */
export const attachmentTypes: Readonly<Record<string, string>> = {
  'image/png': 'image/png',
  'image/jpeg': 'image/jpeg',
  'image/gif': 'image/gif',
  'image/webp': 'image/webp',
  'application/pdf': 'application/pdf',
  'text/plain': 'text/plain',
  'application/json': 'text/plain',
};

export const attachment = z.strictObject({
  name: z.string().min(1).max(255),
  mediaType: z.string().regex(/^[a-z]+\/[a-z0-9.+-]{1,100}$/),
  data: z.base64().max(maxAttachmentLength),
});
export type Attachment = z.infer<typeof attachment>;

export const sendModes = ['reject', 'queue', 'steer'] as const;
export type SendMode = (typeof sendModes)[number];
export const sendInput = z.strictObject({
  message: z.string().trim().min(1).max(maxMessageLength),
  attachments: z.array(attachment).max(maxAttachments).default([]),
  /** What happens while a run is open. */
  mode: z.enum(sendModes).default('reject'),
  timeZone: z.string().max(64).optional(),
  machineId: z.string().max(64).optional(),
});
export type SendInput = z.infer<typeof sendInput>;

export type SentMessage = { runId: string } | { queuedId: string };
/** `answer`: to a command such as `/queue`, which is no message. */
export type SendReply = SentMessage | { answer: string };

export const threadIdInput = z.strictObject({ threadId });
export const listThreadsInput = z.strictObject({
  query: z.string().max(200).optional(),
  cursor: z.string().max(200).optional(),
  limit: z.number().int().min(1).max(100).default(50),
});
export const threadPage = z.object({
  threads: z.array(thread),
  nextCursor: z.string().nullable(),
  waiting: waitingInAll,
});
export type ThreadPage = z.infer<typeof threadPage>;

export const changeThreadInput = z.strictObject({
  title: z.string().trim().min(1).max(80).optional(),
  machineId: z.string().max(64).nullable().optional(),
});
export type ChangeThreadInput = z.infer<typeof changeThreadInput>;
export const messagesInput = z.strictObject({
  before: runId.optional(),
  limit: z.number().int().min(1).max(200).default(50),
});

/** The largest body of a message with its attachments, in bytes. */
export const chatBodyLimit = 16 * 1024 * 1024;

/** A sentence to a background task. */
export const correctInput = z.strictObject({ message: z.string().trim().min(1).max(2_000) });
export const editQueuedInput = z.strictObject({ text: z.string().trim().min(1).max(maxMessageLength) });

/** A tool call with its whole result. `arguments` is JSON as text, times in milliseconds since 1970. */
export const wholeCall = z.object({
  id: toolCallId,
  threadId,
  runId,
  agentId,
  tool: z.string(),
  arguments: z.string(),
  requestId: z.string().nullable(),
  outcome: callOutcome.nullable(),
  /** As the model has it; null while the call is open. */
  result: z
    .array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('text'), text: z.string() }),
        z.object({ type: z.literal('image'), fileId: z.string(), mediaType: z.string() }),
        z.object({ type: z.literal('file'), file: messageFile }),
      ]),
    )
    .nullable(),
  /** The whole text, where `result` is cut. */
  whole: z.string().nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
});
export type WholeCall = z.infer<typeof wholeCall>;
