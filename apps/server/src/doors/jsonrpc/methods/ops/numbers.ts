import {
  contextUsage,
  sessionAnalytics,
  sessionAnalyticsParams,
  systemMetrics,
} from '@drawbridge/contracts/rpc/ops';
import { noParams } from '@drawbridge/contracts/rpc-system';
import { method } from '../../method.ts';

const withSessionId = <Rest>({ threadId, ...rest }: { threadId: string } & Rest) => ({
  sessionId: `thread:${threadId}`,
  ...rest,
});

export const systemSessionAnalytics = method({
  name: 'system.sessionAnalytics',
  who: 'agent',
  params: sessionAnalyticsParams,
  result: sessionAnalytics,
}).handle(async ({ ops }, { connection: { identity }, params }) => {
  const { topThreads, ...numbers } = await ops.analytics.sessions(identity.userId, params);
  return { ...numbers, topSessions: topThreads.map(withSessionId) };
});

/** How full the model's context would be at the next message of each session. */
export const systemContextUsage = method({
  name: 'system.contextUsage',
  who: 'agent',
  params: noParams,
  result: contextUsage,
}).handle(async ({ ops, agent }, { connection: { identity } }) => {
  const info = (await agent?.model()) ?? null;
  return { sessions: (await ops.analytics.context(identity.userId, info)).map(withSessionId) };
});

/** Of a server without the agent. */
const noRuns = {
  runStates: { start: 0, complete: 0, cancel_requested: 0, cancelled: 0, error: 0 },
  cancelLatencyMs: { sampleCount: 0, samples: [] },
  queueDepth: 0,
};

/** Since the server's start: the user's own numbers, for the owner those of the whole server. */
export const systemMetricsMethod = method({
  name: 'system.metrics',
  who: 'any',
  params: noParams,
  result: systemMetrics,
}).handle(async ({ ops, agent, connections }, { connection: { identity } }) => {
  const { isOwner, userId } = identity;
  const lanes = (await agent?.agent.lanes.metrics(isOwner ? undefined : userId)) ?? noRuns;
  const open = isOwner ? [...connections.all()] : connections.ofUser(userId);
  return {
    ...(await ops.metrics(isOwner ? null : userId)),
    ...lanes,
    errors: lanes.runStates.error,
    activeRequests: open.reduce((sum, { requests }) => sum + requests.size(), 0),
    reactions: { matched: 0, skipped: 0, skipReasons: {} },
  };
});
