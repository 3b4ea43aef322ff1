import type { AgentKind } from '@drawbridge/contracts/agent/events';
import type { AgentNeeds } from '../../ports/needs.ts';
import { eventOf } from '../../rows/events.ts';
import { historyOf, type Work } from '../../rows/load.ts';
import { newAgent, newMessage } from '../../rows/new-rows.ts';
import type { AgentRow } from '../../rows/rows.ts';
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
  /** The coding agent that answers it in the place of the model. */
  runtime?: AgentRow['runtime'];
  /** The first turn of the sub-agent that it continues, whose history it has. */
  continues?: Pick<AgentRow, 'id'>;
}

/** The message that a turn of a sub-agent begins with. */
export const firstMessage = (
  ctx: Pick<AgentNeeds, 'clock' | 'newId'>,
  agent: AgentRow,
  { seq, material = [] }: { seq: number; material?: readonly string[] },
): Write => {
  const { userId, threadId, runId, id: agentId, instructions } = agent;
  const parts = [{ type: 'text' as const, text: [instructions, ...material].join('\n\n') }];
  const place = { userId, threadId, runId, agentId, history: historyOf(agent), seq };
  return insert('agentMessages', newMessage(ctx, { ...place, role: 'user', source: 'note', parts }));
};

/** A turn of a sub-agent, ready to begin; wake it once these writes are stored. */
export const newSubAgent = (
  ctx: Pick<AgentNeeds, 'clock' | 'newId'>,
  { run, agent: parent }: Work,
  from: NewAgent,
): { id: string; writes: Write[] } => {
  const { planTaskId = null, material = [], continues, ...rest } = from;
  const own = { parentId: parent.id, tainted: parent.tainted, planTaskId };
  const agent = newAgent(ctx, run, { ...rest, ...own, continues: continues?.id ?? null });
  const { id, role, kind, title, instructions } = agent;
  const payload = { parentId: parent.id, role, kind, tools: from.tools, title };
  return {
    id,
    writes: [
      insert('agentAgents', agent),
      ...(continues ? [] : [firstMessage(ctx, agent, { seq: 1, material })]),
      eventOf(ctx, agent, 'agent-spawned', {
        ...payload,
        goal: instructions.slice(0, 2_000),
        ...(kind !== 'delegate' && { taskId: id }),
        ...(continues && { continues: continues.id }),
        ...(agent.runtime && { runtime: agent.runtime.id }),
      }),
    ],
  };
};
