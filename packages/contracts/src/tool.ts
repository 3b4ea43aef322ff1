import { z } from 'zod';
import { jsonObject, toolLimits } from './tool-call.ts';

/** MCP's hints about a tool, plus the group of published daemons. Untrusted: for display only. */
export const toolAnnotations = z.looseObject({
  title: z.string().max(200).optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
  category: z.string().max(64).optional(),
});

/** A tool as MCP describes it (`tools/list`). */
export const tool = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_.-]+$/)
    .max(toolLimits.maxNameLength),
  title: z.string().max(200).optional(),
  description: z.string().max(toolLimits.maxDescriptionLength).optional(),
  inputSchema: jsonObject,
  outputSchema: jsonObject.optional(),
  annotations: toolAnnotations.optional(),
});
export type Tool = z.infer<typeof tool>;

/** The tools of a machine, as MCP's `tools/list` has them. */
export const toolList = z.object({ tools: z.array(tool) });
