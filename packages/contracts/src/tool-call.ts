import { z } from 'zod';

/** Limits of a daemon's tool list. */
export const toolLimits = {
  maxTools: 200,
  maxNameLength: 64,
  maxDescriptionLength: 20_000,
  maxSchemaDepth: 32,
  maxSchemaNodes: 1_000,
} as const;

export const jsonObject = z.record(z.string(), z.unknown());

export const toolCall = z.object({
  name: z.string().min(1).max(toolLimits.maxNameLength),
  arguments: jsonObject,
});
export type ToolCall = z.infer<typeof toolCall>;

/** Stands in the place of arguments that are not kept once their call has ended. */
export const notKeptArgument = 'drawbridge/not-kept';
export const notKept = z.object({
  [notKeptArgument]: z.object({ bytes: z.number().int().positive(), sha256: z.string().length(64) }),
});
/** The size of arguments that were not kept, in bytes of JSON; null for others. */
export const notKeptBytes = (args: ToolCall['arguments']): number | null =>
  notKept.safeParse(args).data?.[notKeptArgument].bytes ?? null;

/** The argument with a decision: only a person's answer to a confirmation may put it on the wire. */
export const confirmationArgument = '_confirmation';
/** The arguments of a caller, who decides nothing. */
export const withoutConfirmation = (args: ToolCall['arguments']): ToolCall['arguments'] =>
  Object.fromEntries(Object.entries(args).filter(([name]) => name !== confirmationArgument));
