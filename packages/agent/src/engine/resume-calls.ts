import { update, type Write } from '../store-port.ts';
import type { RunContext } from './context.ts';
import { endCall, endWith } from '../step/end-call.ts';
import { agentOf, openCallsOf } from './load.ts';

const lostText =
  'The server stopped during this call: it may have run. Look at its effect before you try it again.';

/**
 * An agent has one runner, so a call that still counts as running when its runner begins was left behind by a
 * stop. What can be repeated, or is known to the gateway by its id, runs again; the rest is lost.
 */
export const resumeCalls = async (
  ctx: RunContext,
  { userId, agentId }: { userId: string; agentId: string },
): Promise<void> => {
  const agent = await agentOf(ctx, userId, agentId);
  if (!agent || agent.state === 'ended') return;
  const left = (await openCallsOf(ctx, agent)).filter(({ state }) => state === 'running');
  const writes = left.flatMap((call): Write[] =>
    call.effect === 'outside'
      ? endCall(ctx, call, endWith('lost', lostText))
      : [update('agentToolCalls', { userId, id: call.id, state: 'running' }, { state: 'planned' })],
  );
  if (writes.length > 0) await ctx.store.commit(writes, 'synced');
};
