import type { ThreadView, ViewAgent } from '@drawbridge/contracts/agent/threads';

export interface TreeNode {
  agent: ViewAgent;
  children: TreeNode[];
  /** Tool calls of the agent itself. */
  calls: number;
  /** Questions that the agent or one below it has open. */
  waiting: number;
}

const isBefore = (a: ViewAgent, b: ViewAgent) => a.startedAt - b.startedAt || a.id.localeCompare(b.id);

/** The agents of a thread or of one run, in order of their start; at the top those without a known parent. */
export const tree = (view: ThreadView, runId?: string): TreeNode[] => {
  const agents = Object.values(view.agents).sort(isBefore);
  const asking = Object.values(view.asks).map(({ toolCallId }) => view.calls[toolCallId ?? '']?.agentId);
  const nodeOf = (agent: ViewAgent): TreeNode => {
    const children = agents.filter(({ parentId }) => parentId === agent.id).map(nodeOf);
    const own = asking.filter((agentId) => agentId === agent.id).length;
    return {
      agent,
      children,
      calls: agent.entries.filter(({ type }) => type === 'tool').length,
      waiting: children.reduce((sum, { waiting }) => sum + waiting, own),
    };
  };
  return agents
    .filter((agent) => runId === undefined || agent.runId === runId)
    .filter(({ parentId }) => parentId === null || !view.agents[parentId])
    .map(nodeOf);
};

/** Background tasks and tasks of a plan that still work, oldest first. */
export const openTasks = (view: ThreadView): ViewAgent[] =>
  Object.values(view.agents)
    .filter(({ kind, status }) => status === null && (kind === 'background' || kind === 'planned'))
    .sort(isBefore);
