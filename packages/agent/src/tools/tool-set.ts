import type { Work } from '../rows/load.ts';
import type { AgentTool, ToolContext } from './common/tool.ts';
import { coreTools } from './core-tools.ts';
import { loadingTools } from './loading-tools.ts';
import { domainTools } from './outside/domain-tools.ts';
import { machineTools } from './outside/machine-tools.ts';
import { mcpTools } from './outside/mcp-tools.ts';
import { workspaceTools } from './outside/workspace-tools.ts';
import { toolTiers } from './tool-tiers.ts';

/** The tools of an agent, at this step. */
export interface ToolSet {
  /** What it may call. */
  byName: ReadonlyMap<string, AgentTool>;
  /** The tools that the prompt lists. */
  inPrompt: readonly AgentTool[];
  /** Tools that were left out because of their names: one sentence each, for the person. */
  left: readonly string[];
  /** Whether a call may run while other reading calls run. */
  canRunBeside(call: { tool: string }): boolean;
}

const namesOf = (tools: readonly AgentTool[]) => new Set(tools.map(({ name }) => name));

/** Of two tools with one name the first one counts: our own cannot be replaced. */
const unique = (tools: readonly AgentTool[]): AgentTool[] => [
  ...new Map(tools.toReversed().map((tool) => [tool.name, tool])).values(),
];

/** Built anew for each step: the machine, permissions and settings may have changed. */
export const toolSetOf = async (ctx: ToolContext, work: Work): Promise<ToolSet> => {
  const { agent, thread, run } = work;
  // A client has its groups of the machine's tools, and nothing that belongs to the person or the server.
  const isRestricted = run.groups !== null;
  const { policy, areToolsDeferred } = await ctx.config();
  const core = await coreTools(ctx, work);
  const [machine, mcp, domain] = await Promise.all([
    machineTools(ctx, work),
    agent.kind === 'main' && !isRestricted ? mcpTools(ctx) : [],
    isRestricted ? [] : domainTools(ctx, thread.userId),
  ]);
  const taken = namesOf(core);
  const isAllowed = (tool: AgentTool) =>
    (tool.action === undefined || policy[tool.action] !== 'blocked') &&
    (agent.tools === null || agent.tools.includes(tool.name));
  const allowed = unique([
    ...(isRestricted ? [] : workspaceTools(ctx)),
    ...machine.tools,
    ...domain,
    ...mcp,
  ]).filter((tool) => !taken.has(tool.name) && isAllowed(tool));
  const deferred = allowed.filter(({ isHidden }) => isHidden !== true);
  const own = core.filter(isAllowed);
  // A sub-agent was given few tools by name: it needs no search.
  const isDeferred = agent.kind === 'main' && areToolsDeferred;
  const { inPrompt } = toolTiers(
    { core: [...own, ...loadingTools(deferred)], deferred },
    { loaded: agent.loaded, areToolsDeferred: isDeferred },
  );
  const byName = new Map([...allowed, ...inPrompt].map((tool) => [tool.name, tool]));
  const { left } = machine;
  return { byName, inPrompt, left, canRunBeside: ({ tool }) => byName.get(tool)?.isParallel === true };
};
