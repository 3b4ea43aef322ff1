import type { AgentNeeds } from '../../ports/needs.ts';
import { agentOf } from '../../rows/load.ts';
import type { ToolCallRow } from '../../rows/rows.ts';
import { openCallStates } from '../../rows/states.ts';
import type { AgentStore, Where } from '../../rows/store.ts';
import { openConfirmation } from '../../tools/common/asks.ts';

type Needs = Pick<AgentNeeds, 'store' | 'clock' | 'machine'>;

/** Shows the question that an action of a coding agent waits for; nothing where it has none, or is over. */
export const askForAction = async (ctx: Needs, call: ToolCallRow): Promise<void> => {
  const { userId, requestId, state, agentId } = call;
  if (requestId === null || state === 'waiting' || state === 'ended') return;
  const seen = await ctx.machine.look(userId, requestId);
  if (seen?.kind !== 'waiting') return;
  const agent = await agentOf(ctx, userId, agentId);
  if (!agent) return;
  const { question, title: message, expiresAt } = seen;
  const writes = openConfirmation(ctx, { agent, call, expiresAt }, { question, message });
  await ctx.store.commit(writes, 'synced');
};

/** Actions that may ask: of all threads, or of one. */
export const openActions = async (
  { store }: { store: AgentStore },
  where: Pick<Where<ToolCallRow>, 'userId' | 'threadId'>,
): Promise<ToolCallRow[]> => {
  const open = await store.findOfAll('agentToolCalls', {
    ...where,
    effect: 'machine',
    state: openCallStates,
  });
  return open.filter(({ turnId, requestId }) => turnId !== null && requestId !== null);
};
