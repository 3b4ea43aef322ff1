import { askAnswer, askPayload, inputType } from '@drawbridge/contracts/agent/asks';
import {
  agentKind,
  callOutcome,
  endStatus,
  endStatuses,
  runKinds,
  storedEvent,
} from '@drawbridge/contracts/agent/events';
import { laneRecord } from '@drawbridge/contracts/agent/lanes';
import { taskItem } from '@drawbridge/contracts/agent/tasks';
import { toolScope } from '@drawbridge/contracts/groups';
import { z } from 'zod';
import { flag, json, table, text, textOrNull, whole, wholeOrNull } from './columns.ts';
import { laneTables } from './lane-rows.ts';
import { memoryTables } from './memory-rows.ts';
import { messagePart, resultPart } from './parts.ts';
import { planTables } from './plan-rows.ts';
import { openAgentStates, openCallStates, openRunStates } from './states.ts';

export { openAgentStates };

// The only declaration of the agent's tables: it gives the types of rows, their parser and their columns.
// Times are in milliseconds since 1970.

/**
 * How often a tool may run. `own`: its result is written with its effect. `read`: it may be repeated.
 * `machine`: the gateway knows by its id whether it ran. `outside`: unknown after a crash.
 */
const effect = z.enum(['own', 'read', 'machine', 'outside']);
export type Effect = z.infer<typeof effect>;

/** `code` is of the table of errors; `retryable`: the same may succeed later. */
const agentFailure = z.object({ code: text, retryable: z.boolean() });
export type AgentFailure = z.infer<typeof agentFailure>;

/** A coding agent on a machine that answers in the place of the model. `folder`: below the shared one. */
const runtime = z.object({ id: text, machineId: text, folder: textOrNull });
export type Runtime = z.infer<typeof runtime>;
/** `session`: the conversation that it continues; null for a new one. */
const agentRuntime = runtime.extend({ session: textOrNull });
/** `source`: who has chosen it. `tokens`: in its context at the end, where it says so. */
const runOfRuntime = runtime.extend({ source: z.enum(['thread', 'config']), tokens: wholeOrNull });

/** A stored row of each table: what does not match is damaged, or of another version. */
export const tables = {
  agentThreads: table(['userId', 'id'], {
    userId: text,
    id: text,
    title: text,
    titleBy: z.enum(['agent', 'person']).nullable(),
    /** The client that made it, as `Sender.key`; null for the person. */
    owner: textOrNull,
    /** The machine that its calls go to; the default machine when null. */
    machineId: textOrNull,
    /** What answers it by the person's choice; null: by the server's settings. */
    runtime: json(runtime).nullable(),
    /** The conversation that its coding agent continues; null for a new one. */
    runtimeSession: json(runtime.extend({ session: text })).nullable(),
    tasks: json(z.array(taskItem)),
    /** The number of its newest event. */
    lastSeq: whole,
    /** Bytes of all its events so far, those that were cut included. */
    eventBytes: whole,
    lane: json(laneRecord),
    /** Counts the changes of its documents. */
    canvasRev: whole,
    /** The server that drives it, where the store has several; each new driver raises `fence`. */
    driverId: textOrNull,
    fence: whole,
    /** Counts the changes by servers that do not drive it. */
    wakes: whole,
    createdAt: whole,
    updatedAt: whole,
  }),
  agentRuns: table(['userId', 'id'], {
    userId: text,
    id: text,
    threadId: text,
    kind: z.enum(runKinds),
    /** The first of its messages, where it has any. */
    messageId: textOrNull,
    /** The last of the messages that it began with: the others were merged into its request. */
    startedBy: textOrNull,
    /** The sender of the messages that it answers, as `Sender.key`. */
    sender: text,
    /** The groups of tools that it may use; null for all. */
    groups: json(z.array(toolScope)).nullable(),
    /** Whether its main agent knows what is remembered of the person. */
    usesMemory: flag,
    /** At most one run of a thread is open. */
    state: z.enum([...openRunStates, ...endStatuses]),
    reason: textOrNull,
    model: text,
    /** The coding agent that answers; null: the model. */
    runtime: json(runOfRuntime).nullable(),
    /** How often the server stopped while it worked; an orderly stop does not count. */
    crashes: whole,
    /** Since an orderly stop of the server, until its next start. */
    isPaused: flag,
    timeZone: textOrNull,
    stopAskedAt: wholeOrNull,
    calls: whole,
    inputTokens: whole,
    outputTokens: whole,
    cachedTokens: whole,
    costMicro: wholeOrNull,
    /** Some of the tokens were estimated. */
    isEstimated: flag,
    /** Budgets are counted from here: the person has approved what was used before. */
    approvedTokens: whole,
    approvedCalls: whole,
    approvedAt: wholeOrNull,
    /** How long its main agent has waited for the person since then. */
    waitedMs: whole,
    startedAt: whole,
    endedAt: wholeOrNull,
  }),
  agentAgents: table(['userId', 'id'], {
    userId: text,
    id: text,
    threadId: text,
    runId: text,
    parentId: textOrNull,
    /** The tool call of the parent that waits for it. */
    parentCallId: textOrNull,
    kind: agentKind,
    role: text,
    title: text,
    instructions: text,
    /** The tools that it may use; null for the main agent. */
    tools: json(z.array(text)).nullable(),
    /** Deferred tools that were loaded, the last used first. */
    loaded: json(z.array(text)),
    maxSteps: whole,
    steps: whole,
    /** `asking`: the run itself asks the person whether it may continue. */
    state: z.enum([...openAgentStates, 'ended']),
    outcome: endStatus.nullable(),
    result: text,
    /** Why it did not complete, for the thread. */
    error: textOrNull,
    /** The same where it failed by an error of the model or the server. */
    failure: json(agentFailure).nullable(),
    /** Its context holds text of others than the signed-in person, the server and itself. */
    tainted: flag,
    planTaskId: textOrNull,
    /** The sub-agent that it continues, by the id of its first turn; null for a first turn. */
    continues: textOrNull,
    /** The coding agent that answers a sub-agent in place of the model; its first turn has the session. */
    runtime: json(agentRuntime).nullable(),
    /** When what it did was deleted; this row stays. */
    deletedAt: wholeOrNull,
    lastActiveAt: whole,
    createdAt: whole,
    endedAt: wholeOrNull,
  }),
  /** Results of tools are not here: they are in the rows of their calls. */
  agentMessages: table(['userId', 'threadId', 'history', 'seq'], {
    userId: text,
    threadId: text,
    /** `main`, or the id of a sub-agent. */
    history: text,
    seq: whole,
    id: text,
    runId: text,
    agentId: textOrNull,
    step: whole,
    role: z.enum(['user', 'assistant']),
    /** Written by the server for the model: `note`, such as the end of a background task, and `continue`. */
    source: z.enum(['person', 'note', 'continue', 'model']),
    /** Its author: `Sender.key`, `server`, `model`, or `unknown` in a row that is older than this column. */
    sender: text,
    v: z.literal(1),
    parts: json(z.array(messagePart)),
    tokens: whole,
    createdAt: whole,
  }),
  agentToolCalls: table(['userId', 'id'], {
    userId: text,
    id: text,
    threadId: text,
    runId: text,
    agentId: text,
    step: whole,
    n: whole,
    tool: text,
    arguments: text,
    effect,
    state: z.enum([...openCallStates, 'ended']),
    outcome: callOutcome.nullable(),
    /** The id of the call on the machine, written before it is made. */
    requestId: textOrNull,
    /** Its first question: one of the agent, or the one of the machine about this call, by `requestId`. */
    askId: textOrNull,
    /** As the model sees it; null while it is open. */
    result: json(z.array(resultPart)).nullable(),
    /** The whole text, where `shown` or `result` is cut. */
    whole: textOrNull,
    /** The beginning of the text, as the thread shows it. */
    shown: text,
    isShownCut: flag,
    /** What it tried and how it failed, without numbers and paths; for repeats. */
    signature: textOrNull,
    /** How many events of the turn of a coding agent are stored; null for other calls. */
    turnEvents: wholeOrNull,
    /** The turn that it is an action of, by the id of its call; `n` is its number there. */
    turnId: textOrNull,
    startedAt: whole,
    endedAt: wholeOrNull,
  }),
  agentAsks: table(['userId', 'id'], {
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
  agentEvents: table(['userId', 'threadId', 'seq'], {
    userId: text,
    threadId: text,
    seq: whole,
    /** `eventBytes` of its thread with this event. */
    upToBytes: whole,
    event: json(storedEvent),
  }),
  ...planTables,
  ...laneTables,
  ...memoryTables,
  /** In a thread: `fetch-url:<host>`, `fetch-url:*`, `web-search`, `mcp:<server>/<tool>`, `domain:<tool>`. */
  agentGrants: table(['userId', 'threadId', 'key'], {
    userId: text,
    threadId: text,
    key: text,
    askId: text,
    createdAt: whole,
  }),
  agentFiles: table(['userId', 'id'], {
    userId: text,
    id: text,
    threadId: text,
    name: text,
    mediaType: text,
    /** Base64. */
    data: text,
    bytes: whole,
    createdAt: whole,
  }),
};

type Tables = typeof tables;
export type TableName = keyof Tables;
/** A row of each table. */
export type Rows = { [Name in TableName]: z.output<Tables[Name]['row']> };
/** The columns of each table as they are stored: flags as 0 or 1, lists and objects as JSON. */
export type StoredRows = { [Name in TableName]: z.input<Tables[Name]['row']> };

export type ThreadRow = Rows['agentThreads'];
export type RunRow = Rows['agentRuns'];
export type AgentRow = Rows['agentAgents'];
export type MessageRow = Rows['agentMessages'];
export type ToolCallRow = Rows['agentToolCalls'];
export type AskRow = Rows['agentAsks'];
export type EventRow = Rows['agentEvents'];
export type PlanRow = Rows['agentPlans'];
export type PlanTaskRow = Rows['agentPlanTasks'];
export type QueueRow = Rows['agentQueue'];
export type RequestRow = Rows['agentRequests'];
export type CommandRow = Rows['agentCommands'];
export type ArtifactRow = Rows['agentArtifacts'];
export type CorrectionRow = Rows['agentCorrections'];
export type NoteRow = Rows['agentNotes'];
export type MemoryRow = Rows['agentMemory'];
export type GrantRow = Rows['agentGrants'];
export type FileRow = Rows['agentFiles'];

/** The history of the main agents of a thread; that of a sub-agent has the id of its first turn. */
export const mainHistory = 'main';
