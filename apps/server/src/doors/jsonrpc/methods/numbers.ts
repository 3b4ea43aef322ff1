import {
  contextUsage,
  sessionAnalytics,
  sessionAnalyticsParams,
  systemMetrics,
} from '@drawbridge/contracts/rpc/ops';
import { noParams } from '@drawbridge/contracts/rpc/system';
import { sessionUserOf, threadScopeOf } from '../agent/session.ts';
import type { RpcContext } from '../context.ts';
import { type Identity, mayOperate } from '../identity.ts';
import { method } from '../method.ts';

/** The rows of threads that the connection may see, by the names of their sessions. */
const named = async <Row extends { threadId: string }>(
  { sessions }: RpcContext,
  identity: Identity,
  rows: readonly Row[],
) => {
  const user = sessionUserOf(identity);
  const all = await Promise.all(
    rows.map(async ({ threadId, ...row }) => ({ sessionId: await sessions.nameOf(user, threadId), ...row })),
  );
  return all.flatMap(({ sessionId, ...row }) => (sessionId === null ? [] : [{ sessionId, ...row }]));
};

export const systemSessionAnalytics = method('system.sessionAnalytics', 'agent', {
  params: sessionAnalyticsParams,
  result: sessionAnalytics,
}).handle(async (ctx, { connection: { identity }, params }) => {
  const { topThreads, ...numbers } = await ctx.ops.analytics.sessions(threadScopeOf(identity), params);
  return { ...numbers, topSessions: await named(ctx, identity, topThreads) };
});

/** How full the model's context would be at the next message of each session. */
export const systemContextUsage = method('system.contextUsage', 'agent', {
  params: noParams,
  result: contextUsage,
}).handle(async (ctx, { connection: { identity } }) => {
  const info = (await ctx.agent?.model()) ?? null;
  const threads = await ctx.ops.analytics.context(threadScopeOf(identity), info);
  return { sessions: await named(ctx, identity, threads) };
});

/** Of a server without the agent. */
const noRuns = {
  runStates: { start: 0, complete: 0, cancel_requested: 0, cancelled: 0, error: 0 },
  cancelLatencyMs: { sampleCount: 0, samples: [] },
  queueDepth: 0,
};

/** Counts since the server started: of the whole server with the scope operate, else of the user. */
export const systemMetricsMethod = method('system.metrics', 'any', {
  params: noParams,
  result: systemMetrics,
}).handle(async ({ ops, agent, connections, channels, speech }, { connection: { identity } }) => {
  const { userId } = identity;
  const isOfServer = mayOperate(identity);
  const lanes = (await agent?.agent.lanes.metrics(isOfServer ? undefined : userId)) ?? noRuns;
  const open = isOfServer ? [...connections.all()] : connections.ofUser(userId);
  return {
    ...(await ops.metrics(isOfServer ? null : userId)),
    ...lanes,
    errors: lanes.runStates.error,
    activeRequests: open.reduce((sum, { requests }) => sum + requests.size(), 0),
    reactions: channels.reactions(isOfServer ? null : userId),
    ...(isOfServer && {
      channels: Object.fromEntries((await channels.numbers()).map(({ kind, ...one }) => [kind, one])),
      voice: { speech: speech.health() },
    }),
  };
});
