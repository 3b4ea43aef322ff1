import { followThread } from '@drawbridge/agent';
import { hasCode } from '@drawbridge/kit';
import type { RpcContext } from '../context.ts';
import type { RpcEvent } from '../protocol/reply.ts';
import { requireAgent } from './session.ts';
import { createRunTeller, type ToldRun } from './tell-run.ts';
import { warnOfContext } from './warn-of-context.ts';

export interface FollowedRun extends ToldRun {
  /** The newest event of the thread before the run. */
  afterSeq: number;
}

/** Emits what happens in a run until it has finished, or the signal aborts. */
export const followRun = async (
  ctx: RpcContext,
  { afterSeq: lastEventId, ...run }: FollowedRun,
  { emit, signal }: { emit(event: RpcEvent): void; signal: AbortSignal },
): Promise<void> => {
  const { threads } = requireAgent(ctx);
  const { identity, threadId } = run;
  const { userId } = identity;
  const since = ctx.clock.now();
  const teller = createRunTeller(ctx, run, emit);
  try {
    for await (const frame of followThread(threads, { userId, threadId, lastEventId, signal }))
      if (await teller.take(frame)) return await warnOfContext(ctx, { ...run, since }, emit);
  } catch (error) {
    // The thread was removed: the end of its request says the rest.
    if (!hasCode(error, 'NOT_FOUND')) throw error;
  } finally {
    teller.stop();
  }
};
