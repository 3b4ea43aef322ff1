import { openAgentStates, openRunStates } from '../rows/states.ts';
import type { AgentStore } from '../rows/store.ts';

interface Reads {
  store: AgentStore;
}

interface Lanes {
  stop(userId: string, threadId: string, what: 'stop'): Promise<void>;
}

/** The threads of the user in which something runs. */
const runningThreads = async (ctx: Reads, userId: string): Promise<string[]> => {
  const found = await Promise.all([
    ctx.store.find('agentRuns', { userId, state: openRunStates }),
    ctx.store.find('agentAgents', { userId, state: openAgentStates }),
    ctx.store.find('agentPlans', { userId, state: 'active' }),
  ]);
  return [...new Set(found.flat().map(({ threadId }) => threadId))];
};

/** Stops one thread, or all threads of a user. */
export const createStops = (ctx: Reads, lanes: Lanes) => ({
  cancel: (userId: string, threadId: string) => lanes.stop(userId, threadId, 'stop'),
  /** Resolves to how many threads there were. */
  cancelAll: async (userId: string): Promise<number> => {
    const threadIds = await runningThreads(ctx, userId);
    await Promise.all(threadIds.map((threadId) => lanes.stop(userId, threadId, 'stop')));
    return threadIds.length;
  },
});
