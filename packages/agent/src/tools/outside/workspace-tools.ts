import type { WorkspacePort, WorkspaceTool } from '../../ports/workspace.ts';
import { approvalOf, runApproved } from '../common/approval.ts';
import {
  type AgentTool,
  anyObject,
  type ToolContext,
  type ToolOutcome,
  type ToolUse,
} from '../common/tool.ts';
import { exportTool, resultParts } from './machine-tools.ts';

const where = "Works in this chat's workspace: a folder on the server, apart from every machine.";

const run = async (use: ToolUse, tool: WorkspaceTool, workspace: WorkspacePort): Promise<ToolOutcome> => {
  const { ctx, thread, call, args, signal } = use;
  const gate = await approvalOf(use, {
    action: 'workspace',
    grant: tool.isDestructive === true ? null : 'workspace',
    message: `Use ${tool.name} in the workspace of this chat?`,
    text: JSON.stringify(args, null, 2),
    severity: tool.isDestructive === true ? 'destructive' : 'warning',
    always: tool.isDestructive === true,
  });
  if (gate.type !== 'approved') return gate.outcome;
  const given = { callId: call.id, tool: tool.name, arguments: args };
  return runApproved(use, gate.writes, async () => {
    const result = await workspace.call({ userId: thread.userId, threadId: thread.id }, given, signal);
    const { parts, writes } = resultParts(ctx, thread, result);
    const outcome = result.isError === true ? 'failed' : 'ok';
    return { type: 'result', outcome, parts, source: call.tool, writes };
  });
};

/** The tools of the thread's workspace; none where the server has no workspaces. */
export const workspaceTools = ({ workspace }: Pick<ToolContext, 'workspace'>): AgentTool[] =>
  workspace === undefined
    ? []
    : workspace
        .tools()
        .filter(({ name }) => name !== exportTool)
        .map((tool) => ({
          name: `workspace_${tool.name}`,
          description: `${tool.description} ${where}`,
          inputSchema: tool.inputSchema,
          effect: tool.isReading ? 'read' : 'outside',
          action: 'workspace',
          isParallel: tool.isReading,
          parse: anyObject,
          run: (use) => run(use, tool, workspace),
        }));
