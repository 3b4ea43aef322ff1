import { actionTool } from '@drawbridge/contracts/machines/runtimes';
import type { AgentNeeds } from '../../ports/needs.ts';
import type { RunRow } from '../../rows/rows.ts';
import { native } from './route.ts';
import { turnsOf } from './start-turn.ts';

type Needs = Pick<AgentNeeds, 'store' | 'onBackend'>;

/** How many actions of coding agents a run has, and how many of them were asked about. */
const actionsOf = async ({ store }: Needs, { userId, id: runId }: RunRow) => {
  const rows = await store.find('agentToolCalls', { userId, runId, tool: actionTool });
  return { actions: rows.length, asked: rows.filter(({ askId }) => askId !== null).length };
};

/** The lines of a run that did not complete. */
const reportFailure = async (
  ctx: Needs,
  outcome: string,
  line: { userId: string; runId: string; runtime: string; ms: number },
): Promise<void> => {
  const { userId, runId, runtime } = line;
  const [main] = await ctx.store.find('agentAgents', { userId, runId, kind: 'main' });
  const code = main?.failure?.code ?? null;
  if (main !== undefined && code === 'RUNTIME_MISMATCH') {
    const [turn] = await turnsOf(ctx, main);
    const requestId = turn?.requestId ?? null;
    ctx.onBackend?.({ audit: 'backend.mismatch', userId, runId, runtime, requestId });
  }
  ctx.onBackend?.({ audit: 'backend.end', ...line, outcome, code });
};

/** The audit line of a run that has ended. `tokens` of a coding agent are those in its context at the end. */
export const reportEnd = async (ctx: Needs, run: RunRow): Promise<void> => {
  const { userId, id: runId, runtime, state, startedAt, endedAt, inputTokens, outputTokens } = run;
  if (ctx.onBackend === undefined || endedAt === null) return;
  const line = { userId, runId, runtime: runtime?.id ?? native, ms: endedAt - startedAt };
  if (state !== 'completed') return reportFailure(ctx, state, line);
  const counts = runtime === null ? { actions: null, asked: null } : await actionsOf(ctx, run);
  const tokens = runtime === null ? inputTokens + outputTokens : runtime.tokens;
  ctx.onBackend({ audit: 'backend.success', ...line, tokens, ...counts });
};
