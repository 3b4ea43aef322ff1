import type { AgentKind } from '@drawbridge/contracts/agent/events';
import type { AgentRow, MessageRow } from '../rows.ts';
import { insert, type Write } from '../store-port.ts';
import { eventOf, type AgentNeeds, type Work } from '../engine/context.ts';

export interface NewAgent {
  kind: Exclude<AgentKind, 'main'>;
  role: string;
  title: string;
  instructions: string;
  tools: string[];
  maxSteps: number;
  parentCallId: string | null;
  planTaskId?: string;
}

const firstMessage = (ctx: Pick<AgentNeeds, 'clock' | 'newId'>, agent: AgentRow): MessageRow => ({
  userId: agent.userId,
  threadId: agent.threadId,
  history: agent.id,
  seq: 1,
  id: ctx.newId('msg_'),
  runId: agent.runId,
  agentId: agent.id,
  step: 0,
  role: 'user',
  source: 'note',
  v: 1,
  parts: [{ type: 'text', text: agent.instructions }],
  tokens: 0,
  createdAt: ctx.clock.now(),
});

/** A sub-agent with an empty history, ready to begin; wake it once these writes are stored. */
export const newSubAgent = (
  ctx: Pick<AgentNeeds, 'clock' | 'newId'>,
  { thread, run, agent: parent }: Work,
  from: NewAgent,
): { id: string; writes: Write[] } => {
  const { planTaskId = null, ...rest } = from;
  const now = ctx.clock.now();
  const agent: AgentRow = {
    ...rest,
    userId: thread.userId,
    id: ctx.newId('ag_'),
    threadId: thread.id,
    runId: run.id,
    parentId: parent.id,
    planTaskId,
    loaded: [],
    steps: 0,
    state: 'ready',
    outcome: null,
    result: '',
    tainted: parent.tainted,
    lastActiveAt: now,
    createdAt: now,
    endedAt: null,
  };
  const { id, role, kind, title } = agent;
  const goal = agent.instructions.slice(0, 2_000);
  const payload = { parentId: parent.id, role, kind, tools: from.tools, title, goal };
  return {
    id,
    writes: [
      insert('agentAgents', agent),
      insert('agentMessages', firstMessage(ctx, agent)),
      eventOf(ctx, agent, ['agent-spawned', { ...payload, ...(kind !== 'delegate' && { taskId: id }) }]),
    ],
  };
};
