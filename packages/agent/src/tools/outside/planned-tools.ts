import type { Work } from '../../rows/load.ts';
import type { ToolContext } from '../common/tool.ts';
import type { PlanOffer } from '../plans/check-plan.ts';
import { domainTools } from './domain-tools.ts';
import { machineTools } from './machine-tools.ts';
import { workspaceTools } from './workspace-tools.ts';

/** What an agent of a plan can be given. */
export const plannedTools = async (
  ctx: Pick<ToolContext, 'machine' | 'isOwnName' | 'domains' | 'workspace'>,
  work: Work,
): Promise<PlanOffer> => {
  const asPlanned = { ...work, agent: { ...work.agent, kind: 'planned' as const } };
  const tools = [
    ...workspaceTools(ctx),
    ...(await machineTools(ctx, asPlanned)).tools,
    ...(await domainTools(ctx, work.thread.userId)),
  ];
  return {
    tools: new Set(['fetch-url', 'web-search', 'read-result', ...tools.map(({ name }) => name)]),
    domains: new Set(ctx.domains.map(({ id }) => id)),
  };
};
