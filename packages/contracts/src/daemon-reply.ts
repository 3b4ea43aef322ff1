import { z } from 'zod';
import { errorBody } from './errors.ts';
import { requestId } from './ids.ts';
import { formAnswer, maxForms } from './machines/runtimes.ts';
import { release } from './release.ts';

/**
 * `sessionKey` only after a pairing token. `epoch`: see `gatewayEpochHeader`. Only for a daemon that reports
 * its version: `features` (`serverFeatures`), `daemon`, the server's release of it, and `machine`, as its
 * user sees it.
 */
export const initReply = z.object({
  ok: z.literal(true),
  sessionKey: z.string().optional(),
  epoch: z.number().int().positive().optional(),
  warnings: z.array(z.string()).optional(),
  features: z.array(z.string().max(64)).max(32).optional(),
  // Another server's meaning must not prevent a connection.
  daemon: release.optional().catch(undefined),
  machine: z
    .object({ id: z.string().max(64), name: z.string().max(64), isDefault: z.boolean() })
    .optional()
    .catch(undefined),
});
export type InitReply = z.infer<typeof initReply>;

export const toolsReply = initReply.pick({ ok: true, warnings: true });
export type ToolsReply = z.infer<typeof toolsReply>;

export const responseReply = z.object({ ok: z.literal(true), duplicate: z.literal(true).optional() });

/** The reply to one of several results; `status` is that of a single post. */
const responseVerdict = z.union([
  responseReply.extend({ requestId }),
  errorBody.extend({ requestId: requestId.nullable(), status: z.number().int() }),
]);

/** One reply per result, in order. `requestId` is null for a result without a valid id. */
export const responsesReply = z.object({ responses: z.array(responseVerdict) });
export type ResponsesReply = z.infer<typeof responsesReply>;

/**
 * `outputEnd`: the end of the output that the server has; only for a post with an offset. `turnEvents`: how
 * many events of the turn it has; absent where no chat shows them. `answers`: of the forms that are closed.
 */
export const progressReply = z.object({
  ok: z.literal(true),
  outputEnd: z.number().int().nonnegative().optional(),
  turnEvents: z.number().int().nonnegative().optional(),
  answers: z.array(formAnswer).max(maxForms).optional(),
});
export type ProgressReply = z.infer<typeof progressReply>;

/** How many questions this request decided; the others were closed already. */
export const settledReply = z.object({ ok: z.literal(true), settled: z.number().int().nonnegative() });

export const okReply = z.object({ ok: z.literal(true) });
