import { expireAsks } from '../asks/confirm.ts';
import type { AgentRow, AskRow } from '../rows.ts';
import { openAgentStates } from '../states.ts';
import type { RunContext } from './context.ts';
import { agentLimits } from './limits.ts';

/** The time since `createdAt` in which nothing of `asks` was open. */
const workedMs = (createdAt: number, asks: readonly AskRow[], now: number): number => {
  let waitedMs = 0;
  let countedTo = createdAt;
  for (const ask of asks.toSorted((a, b) => a.createdAt - b.createdAt)) {
    const to = ask.closedAt ?? now;
    waitedMs += Math.max(0, to - Math.max(ask.createdAt, countedTo));
    countedTo = Math.max(countedTo, to);
  }
  return now - createdAt - waitedMs;
};

/** Whether a background task does nothing or takes too long; waiting for the person does not count. */
export const isLate = (
  { state, lastActiveAt, createdAt }: AgentRow,
  asks: readonly AskRow[],
  now: number,
): boolean =>
  state !== 'waiting' &&
  (now - lastActiveAt > agentLimits.backgroundIdleMs ||
    workedMs(createdAt, asks, now) > agentLimits.backgroundMs);

const endLateTasks = async (ctx: RunContext): Promise<void> => {
  const open = await ctx.store.findOfAll('agentAgents', {
    kind: ['background', 'planned'],
    state: openAgentStates,
  });
  const asks = await Promise.all(
    open.map(({ userId, threadId, id: agentId }) =>
      ctx.store.find('agentAsks', { userId, threadId, agentId }, { isLenient: true }),
    ),
  );
  const now = ctx.clock.now();
  const late = open.filter((agent, at) => isLate(agent, asks[at] ?? [], now));
  await ctx.stopAgents(late, 'cancelled');
};

/** Each minute: questions and background tasks whose time is over. */
export const sweep = async (ctx: RunContext): Promise<void> => {
  await expireAsks(ctx);
  await endLateTasks(ctx);
};
