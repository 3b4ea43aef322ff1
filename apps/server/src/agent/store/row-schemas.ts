import type { Rows, TableName } from '@drawbridge/agent';
import { askAnswer, askPayload, inputType } from '@drawbridge/contracts/agent/asks';
import {
  agentKind,
  callOutcome,
  endStatus,
  endStatuses,
  messageFile,
  runKinds,
  storedEvent,
} from '@drawbridge/contracts/agent/events';
import { memorySection } from '@drawbridge/contracts/agent/memory';
import { planKind, planStates, planTaskStates, taskItem } from '@drawbridge/contracts/agent/tasks';
import { z } from 'zod';

const text = z.string();
const textOrNull = text.nullable();
const whole = z.number().int();
const wholeOrNull = whole.nullable();
const flag = z.union([z.literal(0), z.literal(1)]).transform((value) => value === 1);
const texts = z.array(text);

/** JSON in a text column. */
const json = <Schema extends z.ZodType>(schema: Schema) =>
  text
    .transform((value, context): unknown => {
      try {
        return JSON.parse(value);
      } catch {
        context.addIssue('not JSON');
        return z.NEVER;
      }
    })
    .pipe(schema);

const messagePart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text }),
  z.object({ type: z.literal('reasoning'), text, provider: text, metadata: z.unknown() }),
  z.object({ type: z.literal('file'), file: messageFile }),
  z.object({ type: z.literal('tool-call'), toolCallId: text, tool: text, arguments: text }),
]);

const resultPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text }),
  z.object({ type: z.literal('image'), fileId: text, mediaType: text }),
]);

/** A stored row of each table: what does not match is damaged, or of another version. */
export const rowSchemas = {
  agentThreads: z.object({
    userId: text,
    id: text,
    title: text,
    titleBy: z.enum(['agent', 'person']).nullable(),
    machineId: textOrNull,
    tasks: json(z.array(taskItem)),
    lastSeq: whole,
    eventBytes: whole,
    queuePaused: flag,
    createdAt: whole,
    updatedAt: whole,
  }),
  agentRuns: z.object({
    userId: text,
    id: text,
    threadId: text,
    kind: z.enum(runKinds),
    messageId: textOrNull,
    state: z.enum(['active', 'suspended', ...endStatuses]),
    reason: textOrNull,
    model: text,
    crashes: whole,
    isPaused: flag,
    timeZone: textOrNull,
    stopAskedAt: wholeOrNull,
    calls: whole,
    inputTokens: whole,
    outputTokens: whole,
    cachedTokens: whole,
    costMicro: wholeOrNull,
    isEstimated: flag,
    approvedTokens: whole,
    approvedCalls: whole,
    approvedAt: wholeOrNull,
    waitedMs: whole,
    startedAt: whole,
    endedAt: wholeOrNull,
  }),
  agentAgents: z.object({
    userId: text,
    id: text,
    threadId: text,
    runId: text,
    parentId: textOrNull,
    parentCallId: textOrNull,
    kind: agentKind,
    role: text,
    title: text,
    instructions: text,
    tools: json(texts).nullable(),
    loaded: json(texts),
    maxSteps: whole,
    steps: whole,
    state: z.enum(['ready', 'acting', 'waiting', 'asking', 'ended']),
    outcome: endStatus.nullable(),
    result: text,
    error: textOrNull,
    failure: json(z.object({ code: text, retryable: z.boolean() })).nullable(),
    tainted: flag,
    planTaskId: textOrNull,
    lastActiveAt: whole,
    createdAt: whole,
    endedAt: wholeOrNull,
  }),
  agentMessages: z.object({
    userId: text,
    threadId: text,
    history: text,
    seq: whole,
    id: text,
    runId: text,
    agentId: textOrNull,
    step: whole,
    role: z.enum(['user', 'assistant']),
    source: z.enum(['person', 'note', 'continue', 'model']),
    v: z.literal(1),
    parts: json(z.array(messagePart)),
    tokens: whole,
    createdAt: whole,
  }),
  agentToolCalls: z.object({
    userId: text,
    id: text,
    threadId: text,
    runId: text,
    agentId: text,
    step: whole,
    n: whole,
    tool: text,
    arguments: text,
    effect: z.enum(['own', 'read', 'machine', 'outside']),
    state: z.enum(['planned', 'running', 'waiting', 'ended']),
    outcome: callOutcome.nullable(),
    requestId: textOrNull,
    askId: textOrNull,
    result: json(z.array(resultPart)).nullable(),
    whole: textOrNull,
    shown: text,
    isShownCut: flag,
    signature: textOrNull,
    startedAt: whole,
    endedAt: wholeOrNull,
  }),
  agentAsks: z.object({
    userId: text,
    id: text,
    threadId: text,
    runId: text,
    agentId: text,
    toolCallId: textOrNull,
    kind: inputType,
    payload: json(askPayload),
    state: z.enum(['open', 'answered', 'withdrawn', 'expired']),
    answer: json(askAnswer).nullable(),
    createdAt: whole,
    expiresAt: wholeOrNull,
    closedAt: wholeOrNull,
  }),
  agentEvents: z.object({
    userId: text,
    threadId: text,
    seq: whole,
    upToBytes: whole,
    event: json(storedEvent),
  }),
  agentPlans: z.object({
    userId: text,
    id: text,
    threadId: text,
    runId: text,
    title: text,
    state: z.enum(planStates),
    createdAt: whole,
    updatedAt: whole,
  }),
  agentPlanTasks: z.object({
    userId: text,
    planId: text,
    taskId: text,
    n: whole,
    title: text,
    kind: planKind,
    spec: text,
    deps: json(texts),
    tools: json(texts),
    state: z.enum(planTaskStates),
    agentId: textOrNull,
    tries: whole,
    signatures: json(texts),
    verdict: z.enum(['done', 'failed']).nullable(),
    result: text,
  }),
  agentQueue: z.object({
    userId: text,
    threadId: text,
    id: text,
    text,
    files: json(z.array(messageFile)),
    position: whole,
    createdAt: whole,
    editedAt: wholeOrNull,
  }),
  agentCorrections: z.object({
    userId: text,
    agentId: text,
    id: text,
    text,
    createdAt: whole,
    takenAt: wholeOrNull,
  }),
  agentNotes: z.object({
    userId: text,
    threadId: text,
    history: text,
    seq: whole,
    kind: z.enum(['observation', 'reflection', 'summary']),
    text,
    tokens: whole,
    upToSeq: whole,
    createdAt: whole,
    replacedAt: wholeOrNull,
  }),
  agentMemory: z.object({
    userId: text,
    sections: json(z.partialRecord(memorySection, text)),
    enabled: flag,
    version: whole,
    updatedAt: whole,
  }),
  agentGrants: z.object({ userId: text, threadId: text, key: text, askId: text, createdAt: whole }),
  agentFiles: z.object({
    userId: text,
    id: text,
    threadId: text,
    name: text,
    mediaType: text,
    data: text,
    bytes: whole,
    createdAt: whole,
  }),
} satisfies { [Name in TableName]: z.ZodType<Rows[Name]> };
