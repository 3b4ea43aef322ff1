import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { Caller } from './caller.ts';
import type { CallWatch } from './run-call.ts';

/** A tool that the server answers itself, beside those of the machine; every token has it. A machine's of that name is not shown. */
export interface OwnTool {
  tool: Tool;
  call(caller: Caller, given: Record<string, unknown>, watch: CallWatch): Promise<CallToolResult>;
}
