import { z } from 'zod';
import { threadId } from '../agent/ids.ts';
import { toolScope } from '../groups.ts';
import { isoTime } from '../ids.ts';

export const hookLimits = {
  perUser: 20,
  /** Of one delivery, in bytes. */
  bodyBytes: 256 * 1024,
  perMinute: 60,
  /** How far the clock of a sender may be off, in milliseconds. */
  clockMs: 5 * 60 * 1_000,
  /** How long a delivery is known, so that it counts once. */
  knownMs: 24 * 60 * 60 * 1_000,
} as const;

/** In the address of a hook; unique for its person. */
export const hookName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must have 1 to 63 lower-case letters, digits and hyphens');

/** A webhook of a person: what it receives goes into a chat as quoted data. */
export const hook = z.object({
  id: z.string(),
  name: hookName,
  threadId,
  /** The tools that the agent may use for it. */
  groups: z.array(toolScope),
  createdAt: isoTime,
  lastUsedAt: isoTime.nullable(),
});
export type Hook = z.infer<typeof hook>;

export const createHookInput = z.strictObject({
  name: hookName,
  /** A chat of the person; a new one by default. */
  threadId: threadId.optional(),
  groups: z.array(toolScope).max(toolScope.options.length).default([]),
});
export type CreateHookInput = z.infer<typeof createHookInput>;

/** The secret is shown once, when the hook is created. */
export const createdHook = hook.extend({ secret: z.string() });
export type CreatedHook = z.infer<typeof createdHook>;

export const hookIdInput = z.strictObject({ id: z.string().min(1).max(64) });

/** The answer to a delivery. A repeat has no message of its own. */
export const hookReply = z.union([
  z.object({ sessionId: z.string(), requestId: z.string() }),
  z.object({ duplicate: z.literal(true) }),
]);
export type HookReply = z.infer<typeof hookReply>;
