import { z } from 'zod';
import { errorBody } from './errors.ts';
import { requestId } from './ids.ts';
import { release } from './release.ts';

/**
 * `sessionKey` only when a pairing token was used. `epoch` counts the inits: see `gatewayEpochHeader`. `features`: see
 * `serverFeatures`, and `daemon` is the release that the server gives; both only for a daemon that says what it is.
 */
export const initReply = z.object({
  ok: z.literal(true),
  sessionKey: z.string().optional(),
  epoch: z.number().int().positive().optional(),
  warnings: z.array(z.string()).optional(),
  features: z.array(z.string().max(64)).max(32).optional(),
  // What another server means by it does not keep a machine from connecting.
  daemon: release.optional().catch(undefined),
});
export type InitReply = z.infer<typeof initReply>;

export const toolsReply = initReply.pick({ ok: true, warnings: true });
export type ToolsReply = z.infer<typeof toolsReply>;

export const responseReply = z.object({ ok: z.literal(true), duplicate: z.literal(true).optional() });

/** What became of one of several results; `status` is the one that it would have been answered with alone. */
const responseVerdict = z.union([
  responseReply.extend({ requestId }),
  errorBody.extend({ requestId: requestId.nullable(), status: z.number().int() }),
]);

/** One for each result that was posted, in their order. `requestId` is null where a result named none that could be a call's. */
export const responsesReply = z.object({ responses: z.array(responseVerdict) });
export type ResponsesReply = z.infer<typeof responsesReply>;

/** `outputEnd`: the server has the output up to there, and wants what follows; only for a post with an offset. */
export const progressReply = z.object({
  ok: z.literal(true),
  outputEnd: z.number().int().nonnegative().optional(),
});
export type ProgressReply = z.infer<typeof progressReply>;

/** How many of the questions were decided by this; the others had an answer already, or are not open. */
export const settledReply = z.object({ ok: z.literal(true), settled: z.number().int().nonnegative() });
export type SettledReply = z.infer<typeof settledReply>;

export const okReply = z.object({ ok: z.literal(true) });
