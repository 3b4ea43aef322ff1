import { threadOf } from '../../rows/load.ts';
import type { AgentRow } from '../../rows/rows.ts';
import { openAgentStates } from '../../rows/states.ts';
import { cancelAgentTask } from '../../tools/plans/background.ts';
import type { Command, CommandContext } from './command.ts';

const usage = 'Usage: /subagents list | summary | cancel <id> | delete <id>';
const shown = 20;

const isSub = ({ kind }: AgentRow) => kind !== 'main';

const subAgentsOf = async (
  { ctx }: CommandContext,
  userId: string,
  threadId: string,
): Promise<AgentRow[]> => {
  const newest = { orderBy: 'createdAt', descending: true, isLenient: true } as const;
  return (await ctx.store.find('agentAgents', { userId, threadId }, newest)).filter(isSub);
};

const stateOf = ({ state, outcome }: AgentRow) => outcome ?? (state === 'waiting' ? 'waiting' : 'running');
const line = (agent: AgentRow) =>
  `${agent.id}  ${agent.kind}  ${stateOf(agent)}  ${agent.title === '' ? agent.role : agent.title}`;

/** The ids are those of the thread, which a client sends in its own case. */
const findById = (agents: readonly AgentRow[], id: string | undefined) =>
  agents.find((agent) => agent.id.toLowerCase() === id);

/** `/subagents`: the sub-agents and background tasks of the thread. */
export const subagentsCommand: Command = async (context, { sender, threadId, words }) => {
  const { userId } = sender;
  const [verb = 'list', id] = words;
  const agents = await subAgentsOf(context, userId, threadId);
  const open = agents.filter(({ state }) => openAgentStates.some((one) => one === state));
  switch (verb) {
    case 'list':
      return agents.length === 0 ? 'There are no sub-agents.' : agents.slice(0, shown).map(line).join('\n');
    case 'summary':
      return `${agents.length} sub-agents: ${open.length} open, ${agents.length - open.length} ended.`;
    case 'cancel':
    case 'delete': {
      const agent = findById(agents, id);
      const thread = agent && (await threadOf(context.ctx, userId, threadId));
      if (!agent || !thread) return `There is no such sub-agent. ${usage}`;
      if (agent.state === 'ended') return `${agent.id} has ended; its record stays with the thread.`;
      if (agent.kind === 'delegate') return `${agent.id} belongs to the run. /stop ends both.`;
      await cancelAgentTask(context.ctx, thread, agent.id);
      return `${agent.id} is cancelled.`;
    }
    default:
      return usage;
  }
};
