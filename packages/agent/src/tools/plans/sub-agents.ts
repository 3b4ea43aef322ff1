import type { AgentKind } from '@drawbridge/contracts/agent/events';
import type { AgentNeeds } from '../../ports/needs.ts';
import { eventOf } from '../../rows/events.ts';
import type { Work } from '../../rows/load.ts';
import { newAgent, newMessage } from '../../rows/new-rows.ts';
import { insert, type Write } from '../../rows/store.ts';

export interface NewAgent {
  kind: Exclude<AgentKind, 'main'>;
  role: string;
  title: string;
  /** As the person sees them. */
  instructions: string;
  /** What the model gets beside them. */
  material?: readonly string[];
  tools: string[];
  maxSteps: number;
  parentCallId: string | null;
  planTaskId?: string;
}

/** A sub-agent with an empty history, ready to begin; wake it once these writes are stored. */
export const newSubAgent = (
  ctx: Pick<AgentNeeds, 'clock' | 'newId'>,
  { run, agent: parent }: Work,
  from: NewAgent,
): { id: string; writes: Write[] } => {
  const { planTaskId = null, material = [], ...rest } = from;
  const own = { parentId: parent.id, tainted: parent.tainted, planTaskId };
  const agent = newAgent(ctx, run, { ...rest, ...own });
  const { id, userId, threadId, runId, role, kind, title } = agent;
  const message = newMessage(ctx, {
    userId,
    threadId,
    runId,
    agentId: id,
    history: id,
    seq: 1,
    role: 'user',
    source: 'note',
    parts: [{ type: 'text', text: [agent.instructions, ...material].join('\n\n') }],
  });
  const goal = agent.instructions.slice(0, 2_000);
  const payload = { parentId: parent.id, role, kind, tools: from.tools, title, goal };
  return {
    id,
    writes: [
      insert('agentAgents', agent),
      insert('agentMessages', message),
      eventOf(ctx, agent, 'agent-spawned', { ...payload, ...(kind !== 'delegate' && { taskId: id }) }),
    ],
  };
};
