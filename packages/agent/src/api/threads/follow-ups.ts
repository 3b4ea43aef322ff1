import { endWithRun } from '../../engine/lanes/request-end.ts';
import type { RequestEnd } from '../../engine/lanes/request.ts';
import type { ThreadKey } from '../../rows/keys.ts';
import type { RunRow } from '../../rows/rows.ts';
import type { AgentStore } from '../../rows/store.ts';

/** A run that background work has started, without a message, and how it has ended. */
export interface FollowUp extends Pick<RunRow, 'id' | 'sender' | 'startedAt'> {
  end: RequestEnd;
}

/** Runs of a thread that are looked at. */
const maxRuns = 100;

/** Those of a thread that have ended since then, oldest first. */
export const followUpsOf = async (
  ctx: { store: AgentStore },
  { userId, threadId }: ThreadKey,
  since: number,
): Promise<FollowUp[]> => {
  const newest = { orderBy: 'startedAt', descending: true, limit: maxRuns, isLenient: true } as const;
  const runs = await ctx.store.find('agentRuns', { userId, threadId, kind: 'follow-up' }, newest);
  const ended = runs.filter(({ endedAt }) => endedAt !== null && endedAt >= since).toReversed();
  return Promise.all(
    ended.map(async (run) => {
      const place = { at: 'run', runId: run.id, how: 'own' } as const;
      const end = await endWithRun(ctx, run, { place, isReplayed: true, isForced: false });
      const { id, sender, startedAt } = run;
      return { id, sender, startedAt, end };
    }),
  );
};
