import { z } from 'zod';

/** Limits on what a daemon may announce. */
export const toolLimits = {
  maxTools: 200,
  maxNameLength: 64,
  maxDescriptionLength: 20_000,
  maxSchemaDepth: 32,
  maxSchemaNodes: 1_000,
} as const;

export const jsonObject = z.record(z.string(), z.unknown());

/** A tool's name and its arguments, as the wire carries them. */
export const toolCall = z.object({
  name: z.string().min(1).max(toolLimits.maxNameLength),
  arguments: jsonObject,
});
export type ToolCall = z.infer<typeof toolCall>;

/** The argument that carries a decision on the wire. From a caller it is removed at the gateway's door. */
export const confirmationArgument = '_confirmation';
