import type { ToolCallRow } from '../../rows/rows.ts';
import { deniedBy } from '../../tools/common/approval.ts';
import { briefOf, isRepeat } from '../../tools/common/repeats.ts';
import { textResult, type ToolOutcome } from '../../tools/common/tool.ts';
import type { ToolSet } from '../../tools/tool-set.ts';
import type { StepContext } from './step-context.ts';

type Reads = Pick<StepContext, 'store' | 'endedCalls'>;

/** Fewer equal calls are never refused: see `isRepeat`. */
const fewest = 2;

/** Reads what has ended since it was last asked, and not the whole run before each call. */
const mayRepeat = async (ctx: Reads, call: ToolCallRow): Promise<boolean> => {
  const { userId, agentId } = call;
  const { step, briefs } = ctx.endedCalls.get(agentId) ?? { step: -1, briefs: new Map<string, string>() };
  const where = { userId, agentId, state: 'ended' as const };
  const newer = await ctx.store.find('agentToolCalls', where, { orderBy: 'step', after: step });
  for (const one of newer) briefs.set(one.id, briefOf(one));
  // A step begins when all calls of the steps before it have ended.
  ctx.endedCalls.set(agentId, { step: call.step - 1, briefs });
  const brief = briefOf(call);
  return [...briefs.values()].filter((one) => one === brief).length >= fewest;
};

/** What was denied stays denied in this run, and what does not help is not done again. */
export const refusalOf = async (
  ctx: Reads,
  { call, tools }: { call: ToolCallRow; tools: Pick<ToolSet, 'canRunBeside'> },
): Promise<ToolOutcome | null> => {
  const { userId, runId, agentId, tool } = call;
  const same = { userId, runId, tool, arguments: call.arguments };
  const denied = await ctx.store.find('agentToolCalls', { ...same, state: 'ended', outcome: 'denied' });
  if (denied.length > 0) return deniedBy();
  if (!(await mayRepeat(ctx, call))) return null;
  const ended = await ctx.store.find('agentToolCalls', { userId, agentId, state: 'ended' });
  const repeat = isRepeat(
    ended.map((one) => ({ ...one, isWriting: !tools.canRunBeside(one) })),
    call,
  );
  return repeat === null ? null : textResult(repeat, 'failed');
};
