import { checkpointName } from '@drawbridge/agent';
import type { ContextBudget } from '@drawbridge/contracts/rpc/ops';
import type { RpcContext } from '../context.ts';
import type { RpcEvent } from '../protocol/reply.ts';
import type { ToldRun } from './events.ts';

/** How far below the threshold the warning begins, in percent of the context. */
const warnBelowPct = 10;

const levelOf = ({ usagePct, thresholdPct, shouldCompact }: ContextBudget, summary: number | null) => {
  if (shouldCompact || summary !== null) return 'checkpoint' as const;
  return usagePct >= thresholdPct - warnBelowPct ? ('warning' as const) : null;
};

/**
 * Emits `context_warning` where the next request of a run's thread will nearly fill the model's context, or a
 * summary has replaced older messages in the run: it is kept as a document of the session.
 */
export const warnOfContext = async (
  { agent, ops }: Pick<RpcContext, 'agent' | 'ops'>,
  { identity, threadId, sessionId, runId, since }: ToldRun & { since: number },
  emit: (event: RpcEvent) => void,
): Promise<void> => {
  const info = (await agent?.model()) ?? null;
  if (info === null) return;
  const { userId } = identity;
  const { budget, wasCompacted, summary } = await ops.analytics.contextOf({ userId, threadId, since }, info);
  const level = levelOf(budget, summary);
  if (level === null) return;
  const { usagePct, estimatedTokens, contextWindow } = budget;
  const message = `Context usage is ${usagePct.toFixed(1)}% (${estimatedTokens}/${contextWindow} estimated tokens).`;
  const checkpoint = summary === null ? {} : { checkpointNamespace: checkpointName({ seq: summary }) };
  const actions = { checkpointSaved: summary !== null, ...checkpoint, autoCompacted: wasCompacted };
  emit({ event: 'context_warning', data: { level, message, budget, actions }, sessionId, runId });
};
