import { actionTool } from '@drawbridge/contracts/machines/runtimes';
import type { AgentNeeds } from '../../ports/needs.ts';
import type { RunRow } from '../../rows/rows.ts';
import { native } from './route.ts';

type Needs = Pick<AgentNeeds, 'store' | 'onBackend'>;

/** How many actions of coding agents a run has, and how many of them were asked about. */
const actionsOf = async ({ store }: Needs, { userId, id: runId }: RunRow) => {
  const rows = await store.find('agentToolCalls', { userId, runId, tool: actionTool });
  return { actions: rows.length, asked: rows.filter(({ askId }) => askId !== null).length };
};

const codeOf = async ({ store }: Needs, { userId, id: runId }: RunRow): Promise<string | null> => {
  const [main] = await store.find('agentAgents', { userId, runId, kind: 'main' });
  return main?.failure?.code ?? null;
};

/** The audit line of a run that has ended. `tokens` of a coding agent are those in its context at the end. */
export const reportEnd = async (ctx: Needs, run: RunRow): Promise<void> => {
  const { userId, id: runId, runtime, state, startedAt, endedAt, inputTokens, outputTokens } = run;
  if (ctx.onBackend === undefined || endedAt === null) return;
  const line = { userId, runId, runtime: runtime?.id ?? native, ms: endedAt - startedAt };
  if (state !== 'completed')
    return ctx.onBackend({ audit: 'backend.end', ...line, outcome: state, code: await codeOf(ctx, run) });
  const counts = runtime === null ? { actions: null, asked: null } : await actionsOf(ctx, run);
  const tokens = runtime === null ? inputTokens + outputTokens : runtime.tokens;
  ctx.onBackend({ audit: 'backend.success', ...line, tokens, ...counts });
};
