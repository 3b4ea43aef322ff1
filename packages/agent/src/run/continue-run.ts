import { errors } from '../errors.ts';
import type { RunContext } from '../engine/context.ts';
import { openRunOf, threadOf } from '../engine/load.ts';
import type { Sender } from '../lanes/api.ts';
import { personKey } from '../lanes/sender.ts';
import type { LaneRunner } from '../lanes/runner.ts';
import type { ThreadKey } from '../thread-key.ts';
import { requireModel } from './accept.ts';
import { startRun } from './start-run.ts';

/**
 * A run without a new message, after the newest one of the thread and with its rights, as far as who asks for
 * it has them. Throws `notFound`,
 * `agentOff`, `budgetSpent`, `tooManyRuns`, and `runActive` while a run is open.
 */
export const continueRun = (
  ctx: RunContext,
  runner: LaneRunner,
  { userId, threadId, key, usesMemory }: ThreadKey & Pick<Sender, 'key' | 'usesMemory'>,
): Promise<{ runId: string }> =>
  runner.exclusive({ userId, threadId }, async () => {
    const thread = await threadOf(ctx, userId, threadId);
    const newest = { orderBy: 'startedAt', descending: true, limit: 1 } as const;
    const [continued] = await ctx.store.find('agentRuns', { userId, threadId }, newest);
    if (!thread || !continued) throw errors.notFound();
    const model = await requireModel(ctx, userId);
    if (await openRunOf(ctx, userId, threadId)) throw errors.runActive();
    const release = await runner.takePlace({ userId, threadId });
    if (release === null) throw errors.tooManyRuns();
    const { timeZone, groups } = continued;
    const run = await startRun(ctx, thread, {
      model,
      timeZone,
      // A client that asks for it does not become the person.
      sender: key === personKey ? continued.sender : key,
      groups,
      usesMemory: usesMemory && continued.usesMemory,
      messages: [],
      continued,
    }).finally(release);
    if (!run) throw errors.runActive();
    return { runId: run.id };
  });
