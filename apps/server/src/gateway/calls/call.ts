import type {
  Call,
  CallError,
  CallRuling,
  CallState,
  CallSummary,
  CallVia,
  Door,
} from '@drawbridge/contracts/calls';
import type { Decision } from '@drawbridge/contracts/groups';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import type { CallEvent } from '@drawbridge/contracts/calls';
import type { Bus } from '../bus.ts';

/**
 * The tools of our own daemon that only read. A machine's `readOnlyHint` is not trusted: it would decide
 * which calls are on disk before they run.
 */
export const readingTools: ReadonlySet<string> = new Set([
  'read_file',
  'export_file',
  'list_files',
  'get_file_tree',
  'search_files',
]);

export const isReading = (tool: string): boolean => readingTools.has(tool);

/** Ends that a daemon is told, until it reports its own: something of it may wait for an answer there. */
export const stoppedStates = ['cancelled', 'timed-out', 'denied'] as const satisfies CallState[];

/** The stored call. Times in milliseconds since 1970. */
export interface CallRecord {
  requestId: string;
  userId: string;
  machineId: string;
  tool: string;
  /** What it touches, in one line of at most 200 characters; empty if nothing names it. */
  subject: string;
  arguments: Record<string, unknown>;
  door: Door;
  via: CallVia | null;
  state: CallState;
  result: ToolResult | null;
  error: CallError | null;
  started: boolean | null;
  ruling: CallRuling | null;
  decision: Decision | null;
  decidedBy: string | null;
  denialReason: string | null;
  confirmationId: string | null;
  /** The machine's epoch when the call was first written on its stream; null while it never was. */
  epoch: number | null;
  /** SHA-256 of the answer that was taken. */
  answerDigest: string | null;
  endsAt: number;
  /** Incremented with each stored change. */
  rev: number;
  createdAt: number;
  deliveredAt: number | null;
  endedAt: number | null;
}

/** The fields of a list entry. */
export type CallHead = Omit<CallRecord, 'arguments' | 'result'>;

const iso = (at: number) => new Date(at).toISOString();
const isoOrNull = (at: number | null) => (at === null ? null : iso(at));

export const toSummary = (record: CallHead): CallSummary => ({
  requestId: record.requestId,
  machineId: record.machineId,
  tool: record.tool,
  subject: record.subject,
  door: record.door,
  ...(record.via === null ? {} : { via: record.via }),
  state: record.state,
  error: record.error,
  started: record.started,
  ruling: record.ruling,
  decision: record.decision,
  decidedBy: record.decidedBy,
  denialReason: record.denialReason,
  confirmationId: record.confirmationId,
  rev: record.rev,
  createdAt: iso(record.createdAt),
  deliveredAt: isoOrNull(record.deliveredAt),
  endedAt: isoOrNull(record.endedAt),
  durationMs: record.endedAt === null ? null : Math.max(0, record.endedAt - record.createdAt),
});

export const toCall = (record: CallRecord): Call => ({
  ...toSummary(record),
  arguments: record.arguments,
  result: record.result,
});

/** Publishes what happens to a call to those who watch that user. */
export const publishCall = (bus: Bus, userId: string, event: CallEvent): void =>
  bus.publish(`user:${userId}`, { type: 'call-changed', userId, event });

/** Publishes the state of a call to those who watch its user. */
export const publishCallState = (bus: Bus, record: CallRecord): void =>
  publishCall(bus, record.userId, { type: 'call', call: toSummary(record) });
