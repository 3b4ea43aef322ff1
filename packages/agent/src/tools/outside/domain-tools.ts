import type { DomainTool } from '../../ports/domain.ts';
import { approvalOf, runApproved } from '../common/approval.ts';
import {
  type AgentTool,
  anyObject,
  textResult,
  type ToolContext,
  type ToolOutcome,
  type ToolUse,
} from '../common/tool.ts';

const run = async (use: ToolUse, tool: DomainTool): Promise<ToolOutcome> => {
  const { call, thread, args, signal } = use;
  const isReading = tool.effect === 'read';
  const gate = isReading
    ? ({ type: 'approved', writes: [] } as const)
    : await approvalOf(use, {
        action: 'domainWrite',
        // What cannot be undone is asked each time.
        grant: tool.effect === 'write' ? `domain:${tool.name}` : null,
        message: tool.describe(args),
        text: JSON.stringify(args, null, 2),
        severity: tool.effect === 'destructive' ? 'destructive' : 'warning',
      });
  if (gate.type !== 'approved') return gate.outcome;
  return runApproved(use, gate.writes, async () => {
    const { text, data, link } = await tool.run(args, { userId: thread.userId, callId: call.id, signal });
    const parts = [
      text,
      ...(data === undefined ? [] : [JSON.stringify(data, null, 2)]),
      ...(link === undefined ? [] : [link]),
    ];
    return { ...textResult(parts.join('\n\n')), source: tool.name };
  });
};

/** Tools of the products that the agent works on, with the user's own rights there. */
export const domainTools = async (
  { domains }: Pick<ToolContext, 'domains'>,
  userId: string,
): Promise<AgentTool[]> => {
  const lists = await Promise.all(domains.map((domain) => domain.tools(userId)));
  return lists.flat().map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    effect: tool.effect === 'read' ? 'read' : 'outside',
    ...(tool.effect !== 'read' && { action: 'domainWrite' as const }),
    isParallel: tool.effect === 'read',
    parse: anyObject,
    run: (use) => run(use, tool),
  }));
};
