import type { RunRow } from '../rows.ts';
import { update, type Write } from '../store-port.ts';
import type { RunContext } from '../engine/context.ts';
import { openAgentStates } from './end-agent.ts';
import { openCallsOf } from '../engine/load.ts';
import { messageWrites, type NewMessage } from './start-run.ts';
import { closeCalls, withdrawAsks } from './stop.ts';

const skippedText = 'Not run: the person sent a new message first.';

/**
 * Puts a message into the open run: a model call is dropped, calls that run go on to their end, the others
 * are skipped, questions are withdrawn. False if the run has ended.
 */
export const steer = async (
  ctx: RunContext,
  run: RunRow,
  { message, writes }: { message: NewMessage; writes: Write[] },
): Promise<boolean> => {
  const { userId, id: runId } = run;
  const where = { userId, runId, state: openAgentStates, kind: ['main', 'delegate'] as const };
  const agents = await ctx.store.find('agentAgents', where);
  const main = agents.find(({ kind }) => kind === 'main');
  if (!main) return false;
  const delegates = agents.filter(({ kind }) => kind === 'delegate');
  await ctx.stopAgents(delegates, 'cancelled');
  const calls = (await openCallsOf(ctx, main)).filter(({ state }) => state !== 'running');
  for (const { requestId } of calls)
    if (requestId !== null) await ctx.machine.cancel(userId, requestId).catch(ctx.onError);
  ctx.interruptThought(main);
  const isWritten = await ctx.store.commit(
    [
      ...writes,
      ...(await closeCalls(ctx, calls, { outcome: 'skipped', text: skippedText })),
      ...(await withdrawAsks(ctx, main)),
      update('agentAgents', { userId, id: main.id, state: openAgentStates }, nextState(main.state)),
      ...(await messageWrites(ctx, run, { ...message, source: 'steered' })),
    ],
    'synced',
  );
  ctx.wake(userId, main.id);
  return isWritten;
};

/** Calls that still run are waited for; a question of the run itself is answered by the message. */
const nextState = (state: string) => ({
  state: state === 'asking' || state === 'ready' ? ('ready' as const) : ('acting' as const),
});
