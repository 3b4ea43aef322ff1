import type { ToolResult } from '@drawbridge/contracts/tool-result';
import type { JsonSchema } from './model.ts';

export interface WorkspaceTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  /** Changes nothing. */
  isReading: boolean;
  /** Takes away what cannot be brought back: the person is asked each time. */
  isDestructive?: boolean;
}

/** A folder for each thread, with file tools and a shell that reach nothing else. */
export interface WorkspacePort {
  tools(): readonly WorkspaceTool[];
  /** One call at a time in a thread. Rejects with the reason of the signal once nothing of the call runs. */
  call(
    thread: { userId: string; threadId: string },
    call: { callId: string; tool: string; arguments: Record<string, unknown> },
    signal: AbortSignal,
  ): Promise<ToolResult>;
  /** Removes the folder; a thread without one is no error. */
  remove(userId: string, threadId: string): Promise<void>;
}
