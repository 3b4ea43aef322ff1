import { expireAsks } from '../asks/confirm.ts';
import type { RunContext } from './context.ts';
import { agentLimits } from './limits.ts';
import { openAgentStates } from '../states.ts';

/** Ends background tasks that do nothing or take too long; waiting for the person does not count. */
const endIdleTasks = async (ctx: RunContext): Promise<void> => {
  const now = ctx.clock.now();
  const open = await ctx.store.findOfAll('agentAgents', {
    kind: ['background', 'planned'],
    state: openAgentStates,
  });
  const late = open.filter(
    ({ state, lastActiveAt, createdAt }) =>
      state !== 'waiting' &&
      (now - lastActiveAt > agentLimits.backgroundIdleMs || now - createdAt > agentLimits.backgroundMs),
  );
  await ctx.stopAgents(late, 'cancelled');
};

/** Each minute: questions and background tasks whose time is over. */
export const sweep = async (ctx: RunContext): Promise<void> => {
  await expireAsks(ctx);
  await endIdleTasks(ctx);
};
