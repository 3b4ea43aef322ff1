import { z } from 'zod';
import { maxReasonLength } from './confirmation.ts';
import { requestId } from './ids.ts';
import { processesRequest } from './machines/processes.ts';
import { runtimesRequest } from './machines/runtimes.ts';
import { rulesRequest } from './rules.ts';
import { toolCall } from './tool-call.ts';

/** `POST probe`: the answer to the event `probe` whose id it carries. */
export const probeBody = z.object({ id: z.number().int().positive() });
export type ProbeBody = z.infer<typeof probeBody>;

/**
 * Who makes a call: `id` is that of the token, client or thread, or `personCallerId`. Processes in the
 * background belong to their caller.
 */
const requestCaller = z.object({ id: z.string().min(1).max(4_096), name: z.string().max(500) });
export type RequestCaller = z.infer<typeof requestCaller>;

/** The `id` of the person, who may see and end what every caller has started. */
export const personCallerId = 'user';

/** Why the person denied an action of a coding agent, which reads it. */
const denialReason = z.string().max(maxReasonLength).optional();

/**
 * One call of any tool. Specification 6.1. `again`: it may have been on a stream of this machine before.
 * `askId`: the question that its decision answers. `reach`: the id of the decision's scope. `caller`: see the
 * feature `processes`.
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
    caller: requestCaller.optional(),
    denialReason,
  }),
});

export const cancelReasons = ['caller', 'user', 'timeout'] as const;
const toolCallCancel = z.object({
  type: z.literal('tool-call-cancel'),
  payload: z.object({ requestId, reason: z.enum(cancelReasons), denialReason }),
});

/** `shutdown` means: reconnect. The others end the session. */
export const disconnectReasons = ['user', 'replaced', 'shutdown'] as const;
const gatewayDisconnect = z.object({
  type: z.literal('gateway-disconnect'),
  payload: z.object({ reason: z.enum(disconnectReasons) }),
});

/**
 * The first frame of a stream, and again every 20 s, for daemons with the feature `probe`. If the first one
 * takes longer than 2 s, a proxy buffers the stream.
 */
const probe = z.object({ type: z.literal('probe'), payload: probeBody });

/** All frames of a daemon's stream. */
export const daemonEvent = z.discriminatedUnion('type', [
  filesystemRequest,
  toolCallCancel,
  gatewayDisconnect,
  probe,
  rulesRequest,
  processesRequest,
  runtimesRequest,
]);
export type DaemonEvent = z.infer<typeof daemonEvent>;
export type ToolRequest = z.infer<typeof filesystemRequest>['payload'];
export type CancelReason = (typeof cancelReasons)[number];
export type DisconnectReason = (typeof disconnectReasons)[number];
