import { mainHistory, type AgentRow, type RunRow } from '../rows.ts';
import { update, type Write } from '../store-port.ts';
import type { RunContext } from '../engine/context.ts';
import { agentLimits } from '../engine/limits.ts';
import { nextSeq } from '../engine/load.ts';
import { messageWrites, type NewMessage } from './start-run.ts';
import { skipCalls } from './skip-calls.ts';
import { isFromOutside } from './taint.ts';
import { closeCalls, withdrawAsks } from './stop.ts';
import { openAgentStates, openRunStates } from '../states.ts';

const skippedText = 'Not run: the person sent a new message first.';

interface Steering {
  messages: readonly NewMessage[];
  writes: Write[];
}

/** One try; false if the main agent has moved on meanwhile. */
const steerMain = async (
  ctx: RunContext,
  { run, main }: { run: RunRow; main: AgentRow },
  { messages, writes }: Steering,
): Promise<boolean> => {
  const { userId, id, state, steps } = main;
  const { skipped, continuing, release } = await skipCalls(ctx, main);
  const seq = await nextSeq(ctx, { ...run, history: mainHistory });
  const steered = messages.map((message) => ({ ...message, source: 'steered' as const }));
  const said = messageWrites(ctx, run, { messages: steered, seq });
  // Calls that still run are waited for.
  const next = continuing === 0 && (state === 'asking' || state === 'ready') ? 'ready' : 'acting';
  const isWritten = await ctx.store.commit(
    [
      ...writes,
      ...(await closeCalls(ctx, skipped, { outcome: 'skipped', text: skippedText })),
      ...(await withdrawAsks(ctx, main)),
      update(
        'agentAgents',
        { userId, id, state, steps },
        { state: next, ...(isFromOutside(run, messages) && { tainted: true }) },
      ),
      update(
        'agentRuns',
        { userId, id: run.id, state: openRunStates, stopAskedAt: null },
        { state: 'active' },
      ),
      ...said.rows,
      ...said.events,
    ],
    'synced',
  );
  release();
  if (isWritten) ctx.interruptThought(main);
  ctx.wake(userId, id);
  return isWritten;
};

/**
 * Puts messages into the open run: a model call is dropped, calls that run go on to their end, the others
 * are skipped, questions are withdrawn. False if the run has ended.
 */
export const steer = async (ctx: RunContext, run: RunRow, steering: Steering): Promise<boolean> => {
  const where = { userId: run.userId, runId: run.id, state: openAgentStates };
  for (let attempt = 0; attempt < agentLimits.commitTries; attempt += 1) {
    const delegates = await ctx.store.find('agentAgents', { ...where, kind: 'delegate' });
    await ctx.stopAgents(delegates, 'cancelled');
    const [main] = await ctx.store.find('agentAgents', { ...where, kind: 'main' });
    if (!main) return false;
    if (await steerMain(ctx, { run, main }, steering)) return true;
  }
  return false;
};
