import { z } from 'zod';
import { callExportFormats, callRulings, callStates, doors, maxSearchLength } from './names/calls.ts';
import { decision } from './groups.ts';
import { chosenCallId, confirmationId, isoTime, machineId, requestId } from './ids.ts';
import { toolCall } from './tool-call.ts';
import { toolResult } from './tool-result.ts';

export * from './names/calls.ts';

export const callState = z.enum(callStates);

export const door = z.enum(doors);

export const callRuling = z.enum(callRulings);

/** Why a call has no result: a code of the error table and the text that its caller got. */
export const callError = z.object({ code: z.string(), message: z.string() });
export type CallError = z.infer<typeof callError>;

/** The access token, client, agent thread or tailnet login of a call, with its name at that time. */
export const callVia = z.object({
  kind: z.enum(['token', 'client', 'thread', 'tailnet']),
  id: z.string(),
  name: z.string(),
});
export type CallVia = z.infer<typeof callVia>;

/** The stored record of a tool call, as in the activity log. `durationMs` is from creation to end. */
export const call = z.object({
  requestId,
  machineId,
  tool: z.string(),
  /** What it touches, in one line: a path, the first line of a command, a host. Empty if nothing names it. */
  subject: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  door,
  /** Absent for a call from the panel. */
  via: callVia.optional(),
  state: callState,
  result: toolResult.nullable(),
  error: callError.nullable(),
  /** Whether the tool had started when the call ended; null if unknown. */
  started: z.boolean().nullable(),
  /** Null while it is not decided, and where it is not known. */
  ruling: callRuling.nullable(),
  decision: decision.nullable(),
  decidedBy: z.string().nullable(),
  /** Why the person denied it, in their words; null without a reason. */
  denialReason: z.string().nullable(),
  /** The open question. */
  confirmationId: confirmationId.nullable(),
  /** Counts the changes: of two states of a call the higher one is newer. */
  rev: z.number().int().nonnegative(),
  createdAt: isoTime,
  deliveredAt: isoTime.nullable(),
  endedAt: isoTime.nullable(),
  durationMs: z.number().int().nonnegative().nullable(),
});
export type Call = z.infer<typeof call>;

/** A call in a list, without contents. */
export const callSummary = call.omit({ result: true, arguments: true });
export type CallSummary = z.infer<typeof callSummary>;

/**
 * `machineId`: an id or a name; without it, the default machine. `requestId`: without it, the server chooses
 * one.
 */
export const runInput = z.strictObject({
  ...toolCall.shape,
  machineId: machineId.optional(),
  requestId: chosenCallId.optional(),
});
export type RunInput = z.infer<typeof runInput>;
export const callIdInput = z.strictObject({ requestId });

/** Who made a call: the panel, any chat, or one token, client or chat as `kind:id`. */
export const callMaker = z
  .string()
  .regex(/^(panel|chat|(token|client|thread|tailnet):.{1,500})$/, 'must be panel, chat, or kind:id');
export type CallMaker = z.infer<typeof callMaker>;

/** Selects calls. `q`: part of the subject or of a command, in any case; `from` is included, `to` is not. */
export const callFilter = z.strictObject({
  machine: machineId.optional(),
  by: callMaker.optional(),
  tool: z.string().min(1).max(128).optional(),
  state: callState.optional(),
  ruling: callRuling.optional(),
  q: z.string().trim().min(1).max(maxSearchLength).optional(),
  from: isoTime.optional(),
  to: isoTime.optional(),
});
export type CallFilter = z.infer<typeof callFilter>;

export const listCallsInput = callFilter.extend({
  cursor: z.string().max(200).optional(),
  limit: z.number().int().min(1).max(100).default(50),
});
export type ListCallsInput = z.infer<typeof listCallsInput>;

/**
 * Newest first; `nextCursor` is null at the end. A page of a filter may hold fewer calls than asked for, also
 * none, before the end.
 */
export const callPage = z.object({ calls: z.array(callSummary), nextCursor: z.string().nullable() });
export type CallPage = z.infer<typeof callPage>;

/** The calls of the same machine just before and just after one; null at the ends. */
export const callsAround = z.object({ before: callSummary.nullable(), after: callSummary.nullable() });
export type CallsAround = z.infer<typeof callsAround>;

export const callHistogramInput = callFilter.extend({
  buckets: z.number().int().min(1).max(120).default(60),
});
export type CallHistogramInput = z.infer<typeof callHistogramInput>;

const callCounts = z.array(z.number().int().nonnegative());

/**
 * How many calls of a filter were made in each part of a time range, oldest first. `of`: how many of these
 * were denied or failed, and how many others a person was asked about. `countedFrom`: calls before it are
 * not counted, because there are too many; null if all are.
 */
export const callHistogram = z.object({
  from: isoTime,
  to: isoTime,
  bucketMs: z.number().int().positive(),
  counts: callCounts,
  of: z.object({ asked: callCounts, denied: callCounts, failed: callCounts }),
  countedFrom: isoTime.nullable(),
});
export type CallHistogram = z.infer<typeof callHistogram>;

export const callExportQuery = callFilter.extend({ format: z.enum(callExportFormats) });

/**
 * Live: a call was created, changed or ended, or made progress. `outputOffset` is the position of `output` in
 * the whole output (UTF-16 code units), so that a repeat counts once; without it `output` is appended.
 */
export const callEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('call'), call: callSummary }),
  z.object({
    type: z.literal('progress'),
    requestId,
    message: z.string().optional(),
    progress: z.number().optional(),
    total: z.number().optional(),
    output: z.string().optional(),
    outputOffset: z.number().int().nonnegative().optional(),
  }),
]);
export type CallEvent = z.infer<typeof callEvent>;
