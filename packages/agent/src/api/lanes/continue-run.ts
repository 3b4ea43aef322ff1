import type { LaneRunner } from '../../engine/lanes/runner.ts';
import { errors } from '../../rows/errors.ts';
import type { ThreadKey } from '../../rows/keys.ts';
import { openRunOf, threadOf } from '../../rows/load.ts';
import { personKey, type Sender } from '../../rows/sender.ts';
import { requireRoute } from '../../turns/runs/accept.ts';
import { startRun } from '../../turns/runs/start-run.ts';

/**
 * A run without a new message, after the newest one of the thread and with its rights, as far as who asks
 * for it has them. Throws `notFound`, `agentOff`, `budgetSpent`, `tooManyRuns`, and `runActive` while a run
 * is open.
 */
export const continueRun = (
  runner: LaneRunner,
  { userId, threadId, key, usesMemory }: ThreadKey & Pick<Sender, 'key' | 'usesMemory'>,
): Promise<{ runId: string }> =>
  runner.exclusive({ userId, threadId }, async (ctx) => {
    const thread = await threadOf(ctx, userId, threadId);
    const newest = { orderBy: 'startedAt', descending: true, limit: 1 } as const;
    const [continued] = await ctx.store.find('agentRuns', { userId, threadId }, newest);
    if (!thread || !continued) throw errors.notFound();
    const { timeZone, groups } = continued;
    // A client that asks for it does not become the person.
    const sender = key === personKey ? continued.sender : key;
    const route = await requireRoute(ctx, { thread, sender: { key: sender, groups } });
    if (await openRunOf(ctx, userId, threadId)) throw errors.runActive();
    const release = await runner.acquireSlot({ userId, threadId });
    if (release === null) throw errors.tooManyRuns();
    const started = await startRun(ctx, thread, {
      route,
      timeZone,
      sender,
      groups,
      usesMemory: usesMemory && continued.usesMemory,
      messages: [],
      continued,
    }).finally(release);
    if (!started) throw errors.runActive();
    await ctx.perform(started.effects);
    return { runId: started.run.id };
  });
