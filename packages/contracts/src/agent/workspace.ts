import { z } from 'zod';
import { jsonObject } from '../tool-call.ts';

/** What the program of a workspace says of itself, as JSON on stdout. */
export const workspaceProgram = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      inputSchema: jsonObject,
      /** Changes nothing. */
      isReading: z.boolean(),
    }),
  ),
  /** The filter of system calls for bubblewrap, in base64; null on a processor that it does not know. */
  filter: z.base64().nullable(),
});
export type WorkspaceProgram = z.infer<typeof workspaceProgram>;

/** The one call of a process, as JSON on stdin; the answer is a `ToolResult` as JSON on stdout. */
export const workspaceCall = z.object({ callId: z.string(), tool: z.string(), arguments: jsonObject });
export type WorkspaceCall = z.infer<typeof workspaceCall>;
