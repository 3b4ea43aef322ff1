import type { LaneEffect } from '../../machines/next-lane.ts';
import type { ThreadKey } from '../../rows/keys.ts';
import { agentLimits } from '../../rows/limits.ts';
import { runOf } from '../../rows/load.ts';
import type { RunRow } from '../../rows/rows.ts';
import { releaseRun, stopRun, stopThread } from '../../turns/ends/stop.ts';
import type { Turn } from '../../turns/lanes/turn.ts';
import type { LaneContext, LaneParts } from './lane-context.ts';

/** False when the work has failed, or has not ended in time. */
const endsInTime = ({ clock, onError }: LaneContext, work: Promise<void>): Promise<boolean> =>
  new Promise((resolve) => {
    const cancelTimer = clock.after(agentLimits.forcedMs, () => resolve(false));
    const fail = (error: unknown) => {
      onError(error);
      resolve(false);
    };
    void work.then(() => resolve(true), fail).finally(cancelTimer);
  });

const isOfThread = ({ event }: Turn): boolean =>
  event.type === 'cancelAsked' && (event.what === 'stop' || event.what === 'all');

/**
 * Stops what a transition cancels; resolves when it has ended. What does not stop in time is released, and
 * `onReleased` is called with its run.
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
  if ((await endsInTime(ctx, stop())) || !run) return;
  const asked = cancelling.get(run.id);
  if (asked) cancelling.set(run.id, { ...asked, isForced: true });
  await releaseRun(ctx, run);
  metrics.count(userId, 'forced');
  onReleased(run);
};
