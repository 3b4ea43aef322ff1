import type { AgentRow, ToolCallRow } from '../rows.ts';
import type { RunContext } from '../engine/context.ts';
import { openCallsOf } from '../engine/load.ts';

/** An answer that came before its question is withdrawn lets it run. */
const willNeverRun = async (ctx: RunContext, { userId, requestId }: ToolCallRow): Promise<boolean> => {
  if (requestId === null) return true;
  if ((await ctx.machine.stateOf(userId, requestId)) === 'open') return false;
  ctx.withdrawing.add(requestId);
  return ctx.machine.cancel(userId, requestId);
};

/**
 * Takes the open calls of an agent that have not begun from the machine; `continuing` counts the others. Call
 * `release` when their ends are stored.
 */
export const skipCalls = async (ctx: RunContext, agent: AgentRow) => {
  const open = await openCallsOf(ctx, agent);
  const skipped: ToolCallRow[] = [];
  for (const call of open)
    if (call.state !== 'running' && (await willNeverRun(ctx, call))) skipped.push(call);
  const release = () => {
    for (const { requestId } of open) if (requestId !== null) ctx.withdrawing.delete(requestId);
  };
  return { skipped, continuing: open.length - skipped.length, release };
};
