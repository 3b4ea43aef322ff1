import { mayRemember } from '../memory/working-memory.ts';
import type { Work } from '../rows/load.ts';
import type { AgentTool, ToolContext } from './common/tool.ts';
import { askUser } from './core/ask-user.ts';
import { cancelBackgroundTask, correctBackgroundTask } from './core/background.ts';
import { canvasGet, canvasPut } from './core/canvas.ts';
import { delegate, sendToSubAgent } from './core/delegate.ts';
import { fetchUrl } from './core/fetch-url.ts';
import { plan } from './core/plan.ts';
import { readResult } from './core/read-result.ts';
import { remember } from './core/remember.ts';
import { reportVerdict } from './core/report-verdict.ts';
import { sendFile } from './core/send-file.ts';
import { deleteSubAgent, listSubAgents, summarizeSubAgent } from './core/sub-agents.ts';
import { updateTasks } from './core/update-tasks.ts';
import { webSearch } from './core/web-search.ts';
import { loadingTools } from './loading-tools.ts';
import { openCheckpoints } from './plans/plan-rows.ts';
import { subAgentKinds } from './plans/sub-agent-turns.ts';

/** Sub-agents cannot delegate, plan, ask the person a question or write memory. */
const forMain = [
  plan,
  updateTasks,
  delegate,
  correctBackgroundTask,
  cancelBackgroundTask,
  askUser,
  remember,
  canvasPut,
  canvasGet,
  sendFile,
] as const;

/** Offered once there is one. */
const ofSubAgents = [sendToSubAgent, listSubAgents, summarizeSubAgent, deleteSubAgent] as const;

/** The tools that no other tool may be named like. */
export const coreToolNames = [
  ...[...forMain, ...ofSubAgents, fetchUrl, webSearch, readResult, reportVerdict].map(({ name }) => name),
  ...loadingTools([]).map(({ name }) => name),
];

/** Our own tools of an agent, the same whatever machine is connected. */
export const coreTools = async (
  ctx: Pick<ToolContext, 'store' | 'config' | 'search'>,
  work: Pick<Work, 'agent' | 'run'>,
): Promise<AgentTool[]> => {
  const { agent } = work;
  const web = [fetchUrl, ...((await ctx.search.isOn()) ? [webSearch] : [])];
  if (agent.kind === 'main') {
    const isJudge = (await openCheckpoints(ctx, agent)).length > 0;
    const canRemember = await mayRemember(ctx, work);
    const own: AgentTool[] = forMain.filter((tool) => tool !== remember || canRemember);
    const { userId, threadId } = agent;
    const subAgent = { userId, threadId, kind: subAgentKinds, deletedAt: null };
    const hasSubAgent = (await ctx.store.find('agentAgents', subAgent, { limit: 1 })).length > 0;
    if (hasSubAgent) own.push(...ofSubAgents);
    return [...own, ...web, readResult, ...(isJudge ? [reportVerdict] : [])];
  }
  return [...web, readResult, ...(agent.planTaskId === null ? [] : [reportVerdict])];
};
