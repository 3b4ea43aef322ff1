import { z } from 'zod';
import { requestId } from './ids.ts';
import { rulesRequest } from './rules.ts';
import { toolCall } from './tool-call.ts';

/** `POST probe`: the answer to the event `probe` whose id it carries. */
export const probeBody = z.object({ id: z.number().int().positive() });
export type ProbeBody = z.infer<typeof probeBody>;

/**
 * One tool call for the daemon; the name is the specification's and covers every tool. Specification 6.1.
 * `again`: it may have been on a stream of this machine before, with this decision if it has one.
 * `askId`: the question that the decision in it answers, where the daemon named its question; `reach`: how far the
 * decision goes, by the id that the question gave it.
 */
const filesystemRequest = z.object({
  type: z.literal('filesystem-request'),
  payload: z.object({
    requestId,
    toolCall,
    timeoutMs: z.number().int().positive().optional(),
    again: z.literal(true).optional(),
    askId: z.string().max(64).optional(),
    reach: z.string().max(64).optional(),
  }),
});

export const cancelReasons = ['caller', 'user', 'timeout'] as const;
const toolCallCancel = z.object({
  type: z.literal('tool-call-cancel'),
  payload: z.object({ requestId, reason: z.enum(cancelReasons) }),
});

/** `shutdown` means: come back. The others end the session. */
export const disconnectReasons = ['user', 'replaced', 'shutdown'] as const;
const gatewayDisconnect = z.object({
  type: z.literal('gateway-disconnect'),
  payload: z.object({ reason: z.enum(disconnectReasons) }),
});

/**
 * The first frame of a stream, and again every 20 s, for daemons with the feature `probe`. Whoever asked for the stream
 * expects the first within 2 s: later, something between the two holds the stream back.
 */
const probe = z.object({ type: z.literal('probe'), payload: probeBody });

/** All that the server writes on a daemon's stream. */
export const daemonEvent = z.discriminatedUnion('type', [
  filesystemRequest,
  toolCallCancel,
  gatewayDisconnect,
  probe,
  rulesRequest,
]);
export type DaemonEvent = z.infer<typeof daemonEvent>;
export type ToolRequest = z.infer<typeof filesystemRequest>['payload'];
export type CancelReason = (typeof cancelReasons)[number];
export type DisconnectReason = (typeof disconnectReasons)[number];
