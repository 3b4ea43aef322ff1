import type { AgentNeeds } from '../../ports/needs.ts';
import { historyOf, nextSeq, type Work } from '../../rows/load.ts';
import { newMessage } from '../../rows/new-rows.ts';
import { insert, update } from '../../rows/store.ts';

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
