import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import type { Tool } from '@drawbridge/contracts/tool';
import type { ToolResult } from '@drawbridge/contracts/tool-result';

/** What a tool of the suite is run with. */
export interface SuiteCall {
  arguments: Record<string, unknown>;
  say(progress: ProgressBody): Promise<void>;
  /** Takes the first tool out of the list that is offered, or puts it back. */
  changeTools(): Promise<void>;
}

/** A tool as the suite of conformance wants to find it. */
export interface SuiteTool {
  tool: Tool;
  run(call: SuiteCall): ToolResult | Promise<ToolResult>;
}
