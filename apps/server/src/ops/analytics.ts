import { requestLimit, type ModelInfo } from '@drawbridge/agent';
import type { ContextBudget, SessionAnalyticsParams } from '@drawbridge/contracts/rpc/ops';
import type { Clock } from '@drawbridge/kit';
import type { OpsStore } from './ops.store.ts';
import type { ThreadScope } from './context.store.ts';

interface Needs {
  clock: Clock;
  store: OpsStore;
}

const dayMs = 24 * 60 * 60 * 1_000;
/** Threads scope context is estimated for one answer. */
const mostThreads = 50;
const word = /\p{L}{4,}/gu;

/** The words that occur most often in titles; each title counts a word once. */
const topTopics = (titles: readonly string[], limit: number) => {
  const counts = new Map<string, number>();
  for (const title of titles)
    for (const topic of new Set(title.toLowerCase().match(word)))
      counts.set(topic, (counts.get(topic) ?? 0) + 1);
  return [...counts]
    .toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([topic, occurrences]) => ({ topic, occurrences }));
};

/** How much of the model's context a request of that length takes. */
const budgetOf = (estimatedTokens: number, info: ModelInfo): ContextBudget => {
  const { contextTokens: contextWindow } = info;
  const thresholdTokens = Math.floor(requestLimit(info));
  const percent = (tokens: number) => Math.round((tokens / contextWindow) * 1_000) / 10;
  return {
    estimatedTokens,
    contextWindow,
    remainingTokens: Math.max(0, contextWindow - estimatedTokens),
    usagePct: percent(estimatedTokens),
    thresholdPct: percent(thresholdTokens),
    thresholdTokens,
    shouldCompact: estimatedTokens >= thresholdTokens,
  };
};

/** Numbers about the threads of one user. */
export const createAnalytics = ({ clock, store }: Needs) => ({
  /** `lastActivity` in seconds since 1970; days in UTC. */
  sessions: async (scope: ThreadScope, { days, topLimit }: SessionAnalyticsParams) => {
    const since = clock.now() - days * dayMs;
    const [daily, totals, threads, topTools, titles] = await Promise.all([
      store.daily(scope, since),
      store.totals(scope, since),
      store.topThreads(scope, since, topLimit),
      store.topTools(scope, since, topLimit),
      store.titles(scope, since),
    ]);
    const { sessions, messages } = totals;
    return {
      daily: daily.map(({ day, ...counts }) => ({
        day: new Date(day * dayMs).toISOString().slice(0, 10),
        ...counts,
      })),
      topThreads: threads.map(({ threadId, messages: count, lastAt }) => ({
        threadId,
        messages: count,
        lastActivity: Math.floor(lastAt / 1_000),
      })),
      topTools,
      topTopics: topTopics(titles, topLimit),
      averageMessagesPerSession: sessions === 0 ? 0 : Math.round((messages / sessions) * 100) / 100,
      totalSessions: sessions,
      totalMessages: messages,
    };
  },
  /** Of the 50 threads that were used last; empty without a model. */
  context: async (scope: ThreadScope, info: ModelInfo | null) => {
    if (info === null) return [];
    const threads = await store.newestThreads(scope, mostThreads);
    return Promise.all(
      threads.map(async (threadId) => ({
        threadId,
        budget: budgetOf(await store.contextTokens(scope.userId, threadId), info),
      })),
    );
  },
  /** The context of one thread, and what has replaced messages of it since then: notes, or a summary. */
  contextOf: async (
    { userId, threadId, since }: { userId: string; threadId: string; since: number },
    info: ModelInfo,
  ) => ({
    budget: budgetOf(await store.contextTokens(userId, threadId), info),
    ...(await store.replacedSince(userId, threadId, since)),
  }),
});
