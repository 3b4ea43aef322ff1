import type { LaneEffect } from '../../machines/next-lane.ts';
import type { ThreadKey } from '../../rows/keys.ts';
import { agentLimits } from '../../rows/limits.ts';
import { openRunOf, runOf } from '../../rows/load.ts';
import type { RunRow } from '../../rows/rows.ts';
import { releaseRun, stopRun, stopThread } from '../../turns/ends/stop.ts';
import type { Turn } from '../../turns/lanes/turn.ts';
import type { LaneContext, LaneParts } from './lane-context.ts';

/** How work ends: `failed` with its error, or `late`. */
const endOf = ({ clock }: LaneContext, work: Promise<void>) =>
  new Promise<{ how: 'done' | 'late' } | { how: 'failed'; error: unknown }>((resolve) => {
    const cancelTimer = clock.after(agentLimits.forcedMs, () => resolve({ how: 'late' }));
    const fail = (error: unknown) => resolve({ how: 'failed', error });
    void work.then(() => resolve({ how: 'done' }), fail).finally(cancelTimer);
  });

const isOfThread = ({ event }: Turn): boolean =>
  event.type === 'cancelAsked' && (event.what === 'stop' || event.what === 'all');

/**
 * Stops what a transition cancels; resolves when it has ended, rejects when it goes on. What does not stop in
 * time is released, and `onReleased` is called with its run.
 */
export const stopWork = async (
  { ctx, metrics, cancelling }: LaneParts,
  { userId, threadId }: ThreadKey,
  {
    turn,
    effects,
    onReleased,
  }: { turn: Turn; effects: readonly LaneEffect[]; onReleased(run: RunRow): void },
): Promise<void> => {
  const effect = effects.find((one) => one.type === 'cancelRun');
  if (!effect && !isOfThread(turn)) return;
  const run = effect && (await runOf(ctx, userId, effect.runId));
  const stop = async () => {
    if (effect?.cause === 'preempted') await stopRun(ctx, userId, effect.runId);
    else await ctx.perform(await stopThread(ctx, userId, threadId));
  };
  const end = await endOf(ctx, stop());
  if (end.how === 'done') return;
  // Without a run there is nothing to release.
  if (end.how === 'failed' && !run) throw end.error;
  if (end.how === 'failed') ctx.onError(end.error);
  // An earlier stop may have been asked of a server that is gone.
  const open = run ?? (await openRunOf(ctx, userId, threadId));
  // Not one that has begun since.
  if (!open || (!run && open.stopAskedAt === null)) return;
  const asked = cancelling.get(open.id);
  if (asked) cancelling.set(open.id, { ...asked, isForced: true });
  await releaseRun(ctx, open);
  metrics.count(userId, 'forced');
  onReleased(open);
};
