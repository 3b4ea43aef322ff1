import { insert, update } from '../store-port.ts';
import type { RunContext, Work } from '../engine/context.ts';
import { historyOf, nextSeq } from '../engine/load.ts';
import { newMessage } from '../engine/new-rows.ts';

/** Puts what the person has written to a task into its history; false if there is nothing new. */
export const takeCorrections = async (ctx: RunContext, { agent }: Work): Promise<boolean> => {
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
