import { z } from 'zod';

/** `sessionKey` only when a pairing token was used. `epoch` counts the inits: see `gatewayEpochHeader`. */
export const initReply = z.object({
  ok: z.literal(true),
  sessionKey: z.string().optional(),
  epoch: z.number().int().positive().optional(),
  warnings: z.array(z.string()).optional(),
});
export type InitReply = z.infer<typeof initReply>;

export const toolsReply = initReply.pick({ ok: true, warnings: true });
export type ToolsReply = z.infer<typeof toolsReply>;

export const responseReply = z.object({ ok: z.literal(true), duplicate: z.literal(true).optional() });

/** `outputEnd`: the server has the output up to there, and wants what follows; only for a post with an offset. */
export const progressReply = z.object({
  ok: z.literal(true),
  outputEnd: z.number().int().nonnegative().optional(),
});
export type ProgressReply = z.infer<typeof progressReply>;

export const okReply = z.object({ ok: z.literal(true) });
