import type { McpTool } from '../../ports/outside.ts';
import { approvalOf, runApproved } from '../common/approval.ts';
import {
  type AgentTool,
  anyObject,
  type ToolContext,
  type ToolOutcome,
  type ToolUse,
} from '../common/tool.ts';
import { resultParts } from './machine-tools.ts';

const run = async (use: ToolUse, tool: McpTool): Promise<ToolOutcome> => {
  const { ctx, thread, args, signal } = use;
  const gate = await approvalOf(use, {
    action: 'executeMcpTool',
    grant: `mcp:${tool.server}/${tool.tool}`,
    message: `Use ${tool.tool} of ${tool.server}?`,
    text: JSON.stringify(args, null, 2),
    severity: 'warning',
  });
  if (gate.type !== 'approved') return gate.outcome;
  return runApproved(use, gate.writes, async () => {
    const result = await ctx.mcp.call(tool, args, signal);
    const { parts, writes } = resultParts(ctx, thread, result);
    const outcome = result.isError === true ? 'failed' : 'ok';
    return { type: 'result', outcome, parts, source: tool.name, writes };
  });
};

/** Tools of the MCP servers that the owner configured. */
export const mcpTools = async (ctx: Pick<ToolContext, 'mcp'>): Promise<AgentTool[]> =>
  (await ctx.mcp.tools()).map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    effect: 'outside',
    action: 'executeMcpTool',
    isOutside: true,
    isParallel: false,
    parse: anyObject,
    run: (use) => run(use, tool),
  }));
