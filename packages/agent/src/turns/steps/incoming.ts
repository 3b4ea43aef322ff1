import type { AgentNeeds } from '../../ports/needs.ts';
import { historyOf, nextSeq, type Work } from '../../rows/load.ts';
import { newMessage } from '../../rows/new-rows.ts';
import { insert, update } from '../../rows/store.ts';
import { turnsBefore } from '../../tools/plans/sub-agent-turns.ts';
import { firstMessage } from '../../tools/plans/sub-agents.ts';

/** Puts what the person has written to a task into its history; false if there is nothing new. */
export const takeCorrections = async (
  ctx: Pick<AgentNeeds, 'store' | 'clock' | 'newId'>,
  { agent }: Work,
): Promise<boolean> => {
  if (agent.kind === 'main') return false;
  const { userId, id: agentId, threadId } = agent;
  const waiting = (await ctx.store.find('agentCorrections', { userId, agentId })).filter(
    ({ takenAt }) => takenAt === null,
  );
  if (waiting.length === 0) return false;
  const history = historyOf(agent);
  const now = ctx.clock.now();
  const row = newMessage(ctx, {
    userId,
    threadId,
    history,
    seq: await nextSeq(ctx, { userId, threadId, history }),
    runId: agent.runId,
    agentId,
    step: agent.steps,
    role: 'user',
    source: 'note',
    parts: [{ type: 'text', text: waiting.map(({ text }) => `[Correction] ${text}`).join('\n') }],
  });
  const taken = waiting.map(({ id }) =>
    update('agentCorrections', { userId, agentId, id }, { takenAt: now }),
  );
  return ctx.store.commit([insert('agentMessages', row), ...taken], 'kept');
};

/**
 * Whether an agent may think: one that continues a sub-agent waits for the end of its earlier turns. Then its
 * message joins the history, behind what they have written.
 */
export const takeTurn = async (
  ctx: Pick<AgentNeeds, 'store' | 'clock' | 'newId'>,
  { agent }: Work,
): Promise<boolean> => {
  const { userId, threadId, id: agentId, continues, steps } = agent;
  if (continues === null || steps > 0) return true;
  const history = historyOf(agent);
  const where = { userId, threadId, history, agentId };
  if ((await ctx.store.find('agentMessages', where, { limit: 1 })).length > 0) return true;
  if ((await turnsBefore(ctx, { ...agent, continues })).length > 0) return false;
  const seq = await nextSeq(ctx, { userId, threadId, history });
  return ctx.store.commit([firstMessage(ctx, agent, { seq })], 'kept');
};
