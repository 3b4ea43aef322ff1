import { toolResult, type ToolResult } from '@drawbridge/contracts/tool-result';
import { visible } from '@drawbridge/kit';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { errorResult } from '../../common/result.ts';
import { isWithinDepth } from '../offered-tools.ts';

/** A Drawbridge server takes JSON of 64 levels; the result lies a few below the top. */
const limits = { depth: 58, nodes: 1_000_000 };
const maxMessageLength = 2_000;

const broken = (what: string): ToolResult =>
  errorResult(`The MCP server's answer is not a tool's result: ${what}`);

/** A server's answer -> the result to send: unchanged, except `_meta`, which is the daemon's. */
export const readResult = (raw: Record<string, unknown>): ToolResult => {
  const { _meta: _, ...own } = raw;
  if (!isWithinDepth(own, limits)) return broken('it is nested too deeply');
  const parsed = toolResult.safeParse({ content: [], ...own });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return broken(visible(`${issue?.path.join('.') ?? 'it'}: ${issue?.message ?? 'is not valid'}`));
};

/** The protocol's own error, which says that the tool did not run; undefined for all else. */
export const readRefusal = (error: unknown): ToolResult | undefined => {
  // -32000 is what the SDK says when the server has ended.
  if (!(error instanceof McpError) || error.code === -32_000) return undefined;
  return errorResult(`The MCP server refused: ${visible(error.message.slice(0, maxMessageLength))}`);
};

export const mayHaveRun = (why: string): ToolResult => ({
  ...errorResult(`${why}: the call may have run. Check what it changes before you try again.`),
  _meta: { 'drawbridge/outcome': 'lost', 'drawbridge/started': true },
});
