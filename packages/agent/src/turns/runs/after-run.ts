import { agentLimits } from '../../rows/limits.ts';
import { runOf } from '../../rows/load.ts';
import { mainHistory, type RunRow, type ThreadRow } from '../../rows/rows.ts';
import { type AgentStore, update } from '../../rows/store.ts';
import { openCheckpoints } from '../../tools/plans/plan-rows.ts';
import type { TurnEffect } from '../effects.ts';

interface Reads {
  store: AgentStore;
}

/** The run that the newest note belongs to, where the main agent has not seen it. */
const newsOf = async (ctx: Reads, { userId, id: threadId }: ThreadRow): Promise<RunRow | undefined> => {
  const where = { userId, threadId, history: mainHistory };
  const [last] = await ctx.store.find('agentMessages', where, { orderBy: 'seq', descending: true, limit: 1 });
  return last?.source === 'note' ? runOf(ctx, userId, last.runId) : undefined;
};

/** Whether background work may start another run: not after Stop, not after a failure, and not endlessly. */
const mayFollow = async (ctx: Reads, { userId, id: threadId }: ThreadRow): Promise<boolean> => {
  const runs = await ctx.store.find(
    'agentRuns',
    { userId, threadId },
    { orderBy: 'startedAt', descending: true, limit: agentLimits.followUps + 1 },
  );
  const [newest] = runs;
  if (newest?.state === 'cancelled' || (newest?.kind === 'follow-up' && newest.state === 'error'))
    return false;
  const first = runs.findIndex(({ kind }) => kind !== 'follow-up');
  return (first === -1 ? runs.length : first) < agentLimits.followUps;
};

const noVerdict = 'The agent has given no verdict.';

/** Checkpoints that the main agent has left without a verdict at the end of its run fail. */
const failUnjudged = async ({ store }: Reads, { userId, id: threadId }: ThreadRow): Promise<TurnEffect[]> => {
  const open = await openCheckpoints({ store }, { userId, threadId });
  const writes = open.map(({ planId, taskId }) =>
    update(
      'agentPlanTasks',
      { userId, planId, taskId, state: 'running' },
      { state: 'failed', result: noVerdict },
    ),
  );
  if (writes.length === 0 || !(await store.commit(writes, 'synced'))) return [];
  const planIds = [...new Set(open.map(({ planId }) => planId))];
  return planIds.map((planId) => ({ type: 'tickPlan', userId, planId }));
};

/**
 * The run that the news belong to; the run that reports them has its rights. Where the main agent has
 * seen all news, checkpoints that it has not judged fail.
 */
export const followed = async (
  ctx: Reads,
  thread: ThreadRow,
): Promise<{ news: RunRow | undefined; effects: TurnEffect[] }> => {
  const news = await newsOf(ctx, thread);
  const effects = news ? [] : await failUnjudged(ctx, thread);
  return { news: news && (await mayFollow(ctx, thread)) ? news : undefined, effects };
};
