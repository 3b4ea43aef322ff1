import { z } from 'zod';
import { requestId } from '../ids.ts';
import { askOutcome, askPayload } from './asks.ts';
import { agentId, fileId, messageId, runId, taskId, toolCallId } from './ids.ts';
import { planView, taskList } from './tasks.ts';

/** What a run begins with: a message, background work that ended, or the person's wish to continue. */
export const runKinds = ['message', 'follow-up', 'continue'] as const;
export const agentKinds = ['main', 'delegate', 'background', 'planned'] as const;
export const agentKind = z.enum(agentKinds);
export type AgentKind = z.infer<typeof agentKind>;

export const endStatuses = ['completed', 'cancelled', 'error', 'interrupted'] as const;
export const endStatus = z.enum(endStatuses);
export type EndStatus = z.infer<typeof endStatus>;

/** Tokens as the provider counts them, cost in millionths of the owner's currency. */
export const usage = z.object({
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  cachedTokens: z.number().int().nonnegative(),
  costMicro: z.number().int().nonnegative().optional(),
  /** The provider gave no numbers. */
  estimated: z.boolean().optional(),
  /** Tokens in the context of the coding agent that answered; they are on its own account. */
  runtime: z.object({ id: z.string(), tokens: z.number().int().nonnegative() }).optional(),
});
export type Usage = z.infer<typeof usage>;

export const messageFile = z.object({
  id: fileId,
  name: z.string(),
  mediaType: z.string(),
  bytes: z.number().int().nonnegative().optional(),
});
export type MessageFile = z.infer<typeof messageFile>;

/** How a tool call ended. */
export const callOutcomes = ['ok', 'failed', 'denied', 'skipped', 'stopped', 'lost'] as const;
export const callOutcome = z.enum(callOutcomes);
export type CallOutcome = z.infer<typeof callOutcome>;

/** Part of a text that is still being written; `offset` in UTF-16 code units of that text. */
const delta = z.object({ text: z.string(), step: z.number().int(), offset: z.number().int().nonnegative() });
const block = z.object({ text: z.string(), step: z.number().int() });

const payloads = {
  'run-start': z.object({
    messageId: messageId.nullable(),
    kind: z.enum(runKinds),
    traceId: z.string().optional(),
  }),
  'run-finish': z.object({ status: endStatus, reason: z.string().optional(), usage }),
  'user-message': z.object({
    messageId,
    text: z.string(),
    files: z.array(messageFile),
    source: z.enum(['sent', 'queued', 'steered']),
    /** The webhook that it came through; absent for a message of the person. */
    hook: z.string().optional(),
  }),
  'agent-spawned': z.object({
    parentId: agentId.nullable(),
    role: z.string(),
    kind: agentKind,
    tools: z.array(z.string()),
    taskId: taskId.optional(),
    /** The sub-agent that it continues, by the id of its first turn. */
    continues: agentId.optional(),
    /** The coding agent that answers it in the place of the model. */
    runtime: z.string().optional(),
    title: z.string().optional(),
    subtitle: z.string().optional(),
    goal: z.string().optional(),
  }),
  'agent-completed': z.object({
    role: z.string(),
    status: endStatus,
    result: z.string(),
    error: z.string().optional(),
  }),
  /** What a sub-agent was asked and did is gone; this event also stands where its own events were. */
  'agent-deleted': z.object({}),
  'text-block': block,
  'reasoning-block': block,
  'tool-call': z.object({
    toolCallId,
    toolName: z.string(),
    args: z.record(z.string(), z.unknown()),
    /** The arguments were too large to be shown whole. */
    isCut: z.boolean().optional(),
    /** The call on the machine, for its live output. */
    requestId: requestId.optional(),
  }),
  'tool-result': z.object({
    toolCallId,
    result: z.string(),
    outcome: callOutcome,
    /** The whole result is at `tool-calls/:id`. */
    truncated: z.boolean().optional(),
    /** Pictures of the result; they are at `files/:id`. */
    pictures: z.array(fileId).optional(),
    /** Files that the call has sent to the person; they are at `files/:id`. */
    files: z.array(messageFile).optional(),
  }),
  'tool-error': z.object({
    toolCallId,
    error: z.string(),
    outcome: callOutcome,
    truncated: z.boolean().optional(),
  }),
  'tool-interrupted': z.object({
    toolCallId,
    error: z.string(),
    outcome: callOutcome,
    truncated: z.boolean().optional(),
  }),
  'confirmation-request': askPayload,
  'confirmation-closed': z.object({ requestId: askPayload.shape.requestId, outcome: askOutcome }),
  'tasks-update': z.object({ tasks: taskList, plan: planView.optional() }),
  'thread-title-updated': z.object({ title: z.string() }),
  /** What the person should know of the agent's tools; the run continues. */
  notice: z.object({ text: z.string() }),
  error: z.object({
    content: z.string(),
    code: z.string(),
    retryable: z.boolean(),
    technicalDetails: z.string().optional(),
  }),
};

const livePayloads = {
  'text-delta': delta,
  'reasoning-delta': delta,
  'tool-input-start': z.object({ toolCallId, toolName: z.string() }),
  /** What the agent does at this moment; an empty message clears it. */
  status: z.object({ message: z.string() }),
};

const head = { runId: runId.nullable(), agentId: agentId.nullable(), ts: z.number() };

const event = <Type extends keyof typeof payloads>(type: Type) =>
  z.object({ type: z.literal(type), ...head, payload: payloads[type] });
const live = <Type extends keyof typeof livePayloads>(type: Type) =>
  z.object({ type: z.literal(type), ...head, payload: livePayloads[type] });

/** A fact of a thread: stored, numbered 1, 2, 3 … without a gap. Times in milliseconds since 1970. */
export const storedEvent = z.discriminatedUnion('type', [
  event('run-start'),
  event('run-finish'),
  event('user-message'),
  event('agent-spawned'),
  event('agent-completed'),
  event('agent-deleted'),
  event('text-block'),
  event('reasoning-block'),
  event('tool-call'),
  event('tool-result'),
  event('tool-error'),
  event('tool-interrupted'),
  event('confirmation-request'),
  event('confirmation-closed'),
  event('tasks-update'),
  event('thread-title-updated'),
  event('notice'),
  event('error'),
]);
export type StoredEvent = z.infer<typeof storedEvent>;
export type StoredEventType = StoredEvent['type'];

/** Without a number, never stored. */
export const liveThreadEvent = z.discriminatedUnion('type', [
  live('text-delta'),
  live('reasoning-delta'),
  live('tool-input-start'),
  live('status'),
]);
export type LiveThreadEvent = z.infer<typeof liveThreadEvent>;

/** Events that a thread keeps, and their bytes; what is older is cut. */
export const keptEvents = 500;
export const keptEventBytes = 2 * 1024 * 1024;
export const maxEventBytes = 512 * 1024;
/** The part of a result that its event carries, in characters. */
export const resultPreviewLength = 8_000;
