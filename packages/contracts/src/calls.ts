import { z } from 'zod';
import { decision } from './groups.ts';
import { confirmationId, isoTime, machineId, requestId } from './ids.ts';
import { toolCall } from './tool-call.ts';
import { toolResult } from './tool-result.ts';

export const openCallStates = ['pending', 'delivered', 'awaiting-confirmation'] as const;
export const terminalCallStates = [
  'succeeded',
  'failed',
  'denied',
  'cancelled',
  'timed-out',
  'lost',
] as const;
export const callStates = [...openCallStates, ...terminalCallStates] as const;
export const callState = z.enum(callStates);
export type CallState = z.infer<typeof callState>;
export type TerminalCallState = (typeof terminalCallStates)[number];

export const doors = ['trpc', 'daemon-http', 'mcp', 'rest', 'jsonrpc'] as const;
export const door = z.enum(doors);
export type Door = z.infer<typeof door>;

/** Why a call has no result of its own: a code from the table of errors and the text that its caller saw. */
export const callError = z.object({ code: z.string(), message: z.string() });
export type CallError = z.infer<typeof callError>;

/** The access token or the connected client that a call came through, named as it was then. */
export const callVia = z.object({ kind: z.enum(['token', 'client']), id: z.string(), name: z.string() });
export type CallVia = z.infer<typeof callVia>;

/** One tool call as it is written down: the record is the activity log. `durationMs` is from creation to end. */
export const call = z.object({
  requestId,
  machineId,
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  door,
  /** Left out where the person made the call in the panel. */
  via: callVia.optional(),
  state: callState,
  result: toolResult.nullable(),
  error: callError.nullable(),
  /** Whether the tool had begun when the call ended; null where nobody can know. */
  started: z.boolean().nullable(),
  decision: decision.nullable(),
  decidedBy: z.string().nullable(),
  /** The question that is open now. */
  confirmationId: confirmationId.nullable(),
  createdAt: isoTime,
  deliveredAt: isoTime.nullable(),
  endedAt: isoTime.nullable(),
  durationMs: z.number().int().nonnegative().nullable(),
});
export type Call = z.infer<typeof call>;

/** In the list, contents stay behind: open a call to see its result. */
export const callSummary = call.omit({ result: true, arguments: true });
export type CallSummary = z.infer<typeof callSummary>;

export const runInput = z.strictObject({ ...toolCall.shape });
export const callIdInput = z.strictObject({ requestId });

export const listCallsInput = z.strictObject({
  cursor: z.string().max(200).optional(),
  limit: z.number().int().min(1).max(100).default(50),
});
export type ListCallsInput = z.infer<typeof listCallsInput>;

/** Newest first; `nextCursor` is null at the end. */
export const callPage = z.object({ calls: z.array(callSummary), nextCursor: z.string().nullable() });
export type CallPage = z.infer<typeof callPage>;

/**
 * Live: a call was made, moved on, ended, or said how far it is. `outputOffset` is where `output` begins in all that the
 * tool printed (UTF-16 code units), so that what comes twice shows once; without it `output` follows what came before.
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
