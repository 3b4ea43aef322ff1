import { z } from 'zod';
import { daemonInfo, toolCategory } from './gateway.ts';
import { requestId } from './ids.ts';
import { rulesBody, rulesRequest } from './rules.ts';
import { toolCall, toolLimits, toolResult } from './tool.ts';

/** `POST init`. Tools are read one by one, so that a bad one is skipped and named instead of refusing the machine. */
export const initBody = z.object({
  rootPath: z.string().min(1).max(4_096),
  tools: z.array(z.unknown()).max(toolLimits.maxTools),
  hostIdentifier: z.string().max(256).optional(),
  toolCategories: z.array(toolCategory).max(64).optional(),
  daemon: daemonInfo.optional(),
});
export type InitBody = z.infer<typeof initBody>;

/** `sessionKey` only when a pairing token was used. `epoch` counts the inits: see `gatewayEpochHeader`. */
export const initReply = z.object({
  ok: z.literal(true),
  sessionKey: z.string().optional(),
  epoch: z.number().int().positive().optional(),
  warnings: z.array(z.string()).optional(),
});
export type InitReply = z.infer<typeof initReply>;

/** `POST tools`: the tools that a machine offers from now on, with the limits of `init`. */
export const toolsBody = initBody.pick({ tools: true, toolCategories: true });
export type ToolsBody = z.infer<typeof toolsBody>;

export const toolsReply = initReply.pick({ ok: true, warnings: true });
export type ToolsReply = z.infer<typeof toolsReply>;

/** `POST response/:requestId`: a result, or an error that kept the tool from having one. */
export const responseBody = z
  .object({ result: toolResult.optional(), error: z.string().max(100_000).optional() })
  .refine((body) => body.result !== undefined || body.error !== undefined, 'needs a result or an error');
export type ResponseBody = z.infer<typeof responseBody>;

export const responseReply = z.object({ ok: z.literal(true), duplicate: z.literal(true).optional() });

/**
 * `POST progress/:requestId`: renews the deadline and reaches whoever watches the call. `outputOffset` is where `output`
 * begins in all that the tool printed (UTF-16 code units), `outputKeptFrom` the oldest place that can be posted again.
 */
export const progressBody = z.object({
  message: z.string().max(2_000).optional(),
  progress: z.number().optional(),
  total: z.number().optional(),
  output: z.string().max(65_536).optional(),
  outputOffset: z.number().int().nonnegative().optional(),
  outputKeptFrom: z.number().int().nonnegative().optional(),
});
export type ProgressBody = z.infer<typeof progressBody>;

/** `outputEnd`: the server has the output up to there, and wants what follows; only for a post with an offset. */
export const progressReply = z.object({
  ok: z.literal(true),
  outputEnd: z.number().int().nonnegative().optional(),
});
export type ProgressReply = z.infer<typeof progressReply>;

/** `POST probe`: the answer to the event `probe` whose id it carries. */
export const probeBody = z.object({ id: z.number().int().positive() });
export type ProbeBody = z.infer<typeof probeBody>;

export const okReply = z.object({ ok: z.literal(true) });
export const noBody = z.looseObject({}).optional();

/** Where a daemon speaks to the server, below a mount: one row a route. `events` answers with a stream. */
export const daemonSurface = {
  init: { method: 'POST', path: '/init', body: initBody, reply: initReply },
  tools: { method: 'POST', path: '/tools', body: toolsBody, reply: toolsReply },
  events: { method: 'GET', path: '/events', body: null, reply: null },
  response: { method: 'POST', path: '/response/:requestId', body: responseBody, reply: responseReply },
  progress: { method: 'POST', path: '/progress/:requestId', body: progressBody, reply: progressReply },
  probe: { method: 'POST', path: '/probe', body: probeBody, reply: okReply },
  rules: { method: 'POST', path: '/rules/:requestId', body: rulesBody, reply: okReply },
  disconnect: { method: 'POST', path: '/disconnect', body: noBody, reply: okReply },
} as const;

/** The two mounts of the surface; the second wraps what succeeded as `{ "data": … }`. */
export const daemonMounts = {
  bare: '/api/v1/instance-ai/gateway',
  wrapped: '/rest/instance-ai/gateway',
} as const;

/** Carries the pairing token or the session key. */
export const gatewayKeyHeader = 'x-gateway-key';

/**
 * Carries the `epoch` of the daemon's last init, with every later request. A stream of an older epoch is told
 * `replaced`; an answer of one counts only for a call that is still open and was given to it. Without it: the newest.
 */
export const gatewayEpochHeader = 'x-gateway-epoch';

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
