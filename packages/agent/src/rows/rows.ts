import type { AskAnswer, AskPayload, InputType } from '@drawbridge/contracts/agent/asks';
import type {
  AgentKind,
  CallOutcome,
  EndStatus,
  MessageFile,
  StoredEvent,
} from '@drawbridge/contracts/agent/events';
import type { LaneRecord } from '@drawbridge/contracts/agent/lanes';
import type { MemorySection } from '@drawbridge/contracts/agent/memory';
import type { PlanItem, PlanKind, PlanView, TaskItem } from '@drawbridge/contracts/agent/tasks';
import type { ToolGroup } from '@drawbridge/contracts/groups';
import type { ArtifactRow, QueueRow, RequestRow } from './lane-rows.ts';

export type { ArtifactRow, QueueRow, RequestRow };

// One type for each table. Times in milliseconds since 1970. Each key begins with the user.

export interface ThreadRow {
  userId: string;
  id: string;
  title: string;
  titleBy: 'agent' | 'person' | null;
  /** The client that made it, as `Sender.key`; null for the person. */
  owner: string | null;
  /** The machine that its calls go to; the default machine when null. */
  machineId: string | null;
  tasks: TaskItem[];
  /** The number of its newest event. */
  lastSeq: number;
  /** Bytes of all its events so far, those that were cut included. */
  eventBytes: number;
  lane: LaneRecord;
  /** Counts the changes of its documents. */
  canvasRev: number;
  createdAt: number;
  updatedAt: number;
}

export interface RunRow {
  userId: string;
  id: string;
  threadId: string;
  kind: 'message' | 'follow-up' | 'continue';
  messageId: string | null;
  /** Whose messages it answers, as `Sender.key`. */
  sender: string;
  /** The groups of tools that it may use; null for all. */
  groups: ToolGroup[] | null;
  /** Whether its main agent knows what is remembered of the person. */
  usesMemory: boolean;
  /** At most one run of a thread is `active` or `suspended`. */
  state: 'active' | 'suspended' | EndStatus;
  reason: string | null;
  model: string;
  /** How often the server stopped while it worked; an orderly stop does not count. */
  crashes: number;
  /** Since an orderly stop of the server, until its next start. */
  isPaused: boolean;
  timeZone: string | null;
  stopAskedAt: number | null;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  costMicro: number | null;
  /** Some of the tokens were estimated. */
  isEstimated: boolean;
  /** Budgets are counted from here: the person has approved what was used before. */
  approvedTokens: number;
  approvedCalls: number;
  approvedAt: number | null;
  /** How long its main agent has waited for the person since then. */
  waitedMs: number;
  startedAt: number;
  endedAt: number | null;
}

/** `code` is of the table of errors; `retryable`: the same may succeed later. */
export interface AgentFailure {
  code: string;
  retryable: boolean;
}

export interface AgentRow {
  userId: string;
  id: string;
  threadId: string;
  runId: string;
  parentId: string | null;
  /** The tool call of the parent that waits for it. */
  parentCallId: string | null;
  kind: AgentKind;
  role: string;
  title: string;
  instructions: string;
  /** The tools that it may use; null for the main agent. */
  tools: string[] | null;
  /** Deferred tools that were loaded, the last used first. */
  loaded: string[];
  maxSteps: number;
  steps: number;
  /** `asking`: the run itself asks the person whether it may continue. */
  state: 'ready' | 'acting' | 'waiting' | 'asking' | 'ended';
  outcome: EndStatus | null;
  result: string;
  /** Why it did not complete, for the thread. */
  error: string | null;
  /** The same where it failed by an error of the model or the server. */
  failure: AgentFailure | null;
  /** Its context holds text from outside: every text but the signed-in person's, the server's and its own. */
  tainted: boolean;
  planTaskId: string | null;
  lastActiveAt: number;
  createdAt: number;
  endedAt: number | null;
}

/** The history of the main agents of a thread; a sub-agent has one of its own, named by its id. */
export const mainHistory = 'main';

export type MessagePart =
  /** What a program has posted to a webhook: data, not the person's words. */
  | { type: 'delivery'; hook: string; text: string }
  | { type: 'text'; text: string }
  /** `metadata` belongs to the provider that wrote it. */
  | { type: 'reasoning'; text: string; provider: string; metadata: unknown }
  | { type: 'file'; file: MessageFile }
  | { type: 'tool-call'; toolCallId: string; tool: string; arguments: string };

/** Results of tools are not here: they are in the rows of their calls. */
export interface MessageRow {
  userId: string;
  threadId: string;
  /** `main`, or the id of a sub-agent. */
  history: string;
  seq: number;
  id: string;
  runId: string;
  agentId: string | null;
  step: number;
  role: 'user' | 'assistant';
  /** Written by the server for the model: `note`, such as the end of a background task, and `continue`. */
  source: 'person' | 'note' | 'continue' | 'model';
  /** Whose words it holds: `Sender.key`, `server`, `model`, or `unknown` for one that is older than this. */
  sender: string;
  v: 1;
  parts: MessagePart[];
  tokens: number;
  createdAt: number;
}

/**
 * How often a tool may run. `own`: its result is written with its effect. `read`: it may be repeated.
 * `machine`: the gateway knows by its id whether it ran. `outside`: unknown after a crash.
 */
export type Effect = 'own' | 'read' | 'machine' | 'outside';

export type ResultPart =
  | { type: 'text'; text: string }
  | { type: 'image'; fileId: string; mediaType: string };

/** What a message says, as people read it. */
export const wordsOf = (parts: readonly MessagePart[]): string =>
  parts.flatMap((part) => (part.type === 'text' || part.type === 'delivery' ? [part.text] : [])).join('\n');

/** The files of a result's pictures; nothing for a result without them. */
export const picturesOf = (parts: readonly ResultPart[]): { pictures?: string[] } => {
  const pictures = parts.flatMap((part) => (part.type === 'image' ? [part.fileId] : []));
  return pictures.length > 0 ? { pictures } : {};
};

export interface ToolCallRow {
  userId: string;
  id: string;
  threadId: string;
  runId: string;
  agentId: string;
  step: number;
  n: number;
  tool: string;
  arguments: string;
  effect: Effect;
  state: 'planned' | 'running' | 'waiting' | 'ended';
  outcome: CallOutcome | null;
  /** The id of the call on the machine, written before it is made. */
  requestId: string | null;
  askId: string | null;
  /** As the model sees it; null while it is open. */
  result: ResultPart[] | null;
  /** The whole text, where `shown` or `result` is cut. */
  whole: string | null;
  /** The beginning of the text, as the thread shows it. */
  shown: string;
  isShownCut: boolean;
  /** What it tried and how it failed, without numbers and paths; for repeats. */
  signature: string | null;
  startedAt: number;
  endedAt: number | null;
}

export interface AskRow {
  userId: string;
  id: string;
  threadId: string;
  runId: string;
  agentId: string;
  toolCallId: string | null;
  kind: InputType;
  payload: AskPayload;
  state: 'open' | 'answered' | 'withdrawn' | 'expired';
  answer: AskAnswer | null;
  createdAt: number;
  expiresAt: number | null;
  closedAt: number | null;
}

export interface EventRow {
  userId: string;
  threadId: string;
  seq: number;
  /** `eventBytes` of its thread with this event. */
  upToBytes: number;
  event: StoredEvent;
}

export interface PlanRow {
  userId: string;
  id: string;
  threadId: string;
  runId: string;
  title: string;
  state: PlanView['state'];
  createdAt: number;
  updatedAt: number;
}

export interface PlanTaskRow {
  userId: string;
  planId: string;
  taskId: string;
  n: number;
  title: string;
  kind: PlanKind;
  spec: string;
  deps: string[];
  tools: string[];
  state: PlanItem['state'];
  agentId: string | null;
  tries: number;
  /** Failure signatures of its verdicts. */
  signatures: string[];
  /** The end that its verdicts have led to; null before it. */
  verdict: 'done' | 'failed' | null;
  result: string;
}

export interface CorrectionRow {
  userId: string;
  agentId: string;
  id: string;
  text: string;
  createdAt: number;
  takenAt: number | null;
}

export interface NoteRow {
  userId: string;
  threadId: string;
  history: string;
  seq: number;
  kind: 'observation' | 'reflection' | 'summary';
  text: string;
  tokens: number;
  /** Messages up to this number are in it. */
  upToSeq: number;
  createdAt: number;
  replacedAt: number | null;
}

export interface MemoryRow {
  userId: string;
  sections: Partial<Record<MemorySection, string>>;
  enabled: boolean;
  version: number;
  updatedAt: number;
}

/** In a thread: `fetch-url:<host>`, `fetch-url:*`, `web-search`, `mcp:<server>/<tool>`, `domain:<tool>`. */
export interface GrantRow {
  userId: string;
  threadId: string;
  key: string;
  askId: string;
  createdAt: number;
}

export interface FileRow {
  userId: string;
  id: string;
  threadId: string;
  name: string;
  mediaType: string;
  /** Base64. */
  data: string;
  bytes: number;
  createdAt: number;
}

export interface Rows {
  agentThreads: ThreadRow;
  agentRuns: RunRow;
  agentAgents: AgentRow;
  agentMessages: MessageRow;
  agentToolCalls: ToolCallRow;
  agentAsks: AskRow;
  agentEvents: EventRow;
  agentPlans: PlanRow;
  agentPlanTasks: PlanTaskRow;
  agentQueue: QueueRow;
  agentRequests: RequestRow;
  agentArtifacts: ArtifactRow;
  agentCorrections: CorrectionRow;
  agentNotes: NoteRow;
  agentMemory: MemoryRow;
  agentGrants: GrantRow;
  agentFiles: FileRow;
}
export type TableName = keyof Rows;
