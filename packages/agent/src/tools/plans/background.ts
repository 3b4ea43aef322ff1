import type { AgentRow, ThreadRow } from '../../rows/rows.ts';
import { openAgentStates } from '../../rows/states.ts';
import { insert } from '../../rows/store.ts';
import type { ToolContext } from '../common/tool.ts';

/** An open background or planned task of the thread. */
const taskOf = async (
  { store }: Pick<ToolContext, 'store'>,
  { userId, id: threadId }: Pick<ThreadRow, 'userId' | 'id'>,
  taskId: string,
): Promise<AgentRow | undefined> => {
  const kinds = ['background', 'planned'] as const;
  const where = { userId, id: taskId, threadId, kind: kinds, state: openAgentStates };
  return (await store.find('agentAgents', where))[0];
};

/** Stops a task; false if it is not open. */
export const cancelAgentTask = async (
  ctx: Pick<ToolContext, 'store' | 'stopAgents'>,
  thread: ThreadRow,
  taskId: string,
): Promise<boolean> => {
  const agent = await taskOf(ctx, thread, taskId);
  if (!agent) return false;
  await ctx.stopAgents([agent], 'cancelled');
  return true;
};

/** A sentence that an open sub-agent reads before its next step. */
export const correctAgent = (
  ctx: Pick<ToolContext, 'store' | 'clock' | 'newId'>,
  { userId, id: agentId }: Pick<AgentRow, 'userId' | 'id'>,
  text: string,
): Promise<boolean> => {
  const row = { userId, agentId, id: ctx.newId('cor_'), text, createdAt: ctx.clock.now(), takenAt: null };
  return ctx.store.commit([insert('agentCorrections', row)], 'kept');
};

/** The same of a task of the thread; false if there is no open one. */
export const correctTask = async (
  ctx: Pick<ToolContext, 'store' | 'clock' | 'newId'>,
  thread: Pick<ThreadRow, 'userId' | 'id'>,
  { taskId, text }: { taskId: string; text: string },
): Promise<boolean> => {
  const agent = await taskOf(ctx, thread, taskId);
  return agent !== undefined && correctAgent(ctx, agent, text);
};
