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

/** A sentence that the task reads before its next step; false if there is no open task. */
export const correctTask = async (
  ctx: Pick<ToolContext, 'store' | 'clock' | 'newId'>,
  thread: Pick<ThreadRow, 'userId' | 'id'>,
  { taskId, text }: { taskId: string; text: string },
): Promise<boolean> => {
  const agent = await taskOf(ctx, thread, taskId);
  if (!agent) return false;
  const row = { userId: agent.userId, agentId: agent.id, id: ctx.newId('cor_'), text };
  return ctx.store.commit(
    [insert('agentCorrections', { ...row, createdAt: ctx.clock.now(), takenAt: null })],
    'kept',
  );
};
