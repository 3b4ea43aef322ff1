import type { OpenAsk } from '@drawbridge/contracts/agent/asks';
import { agentLimits } from '../rows/limits.ts';
import type { AgentStore } from '../rows/store.ts';

/** The agent's open questions in all chats of a user, oldest first; without the questions of machines. */
export const openAsks = async ({ store }: { store: AgentStore }, userId: string): Promise<OpenAsk[]> => {
  const rows = await store.find(
    'agentAsks',
    { userId, state: 'open' },
    { orderBy: 'createdAt', limit: agentLimits.listedAsks, isLenient: true },
  );
  if (rows.length === 0) return [];
  const ids = [...new Set(rows.map(({ threadId }) => threadId))];
  const threads = await store.find('agentThreads', { userId, id: ids }, { isLenient: true });
  const titles = new Map(threads.map(({ id, title }) => [id, title]));
  return rows.map(({ payload, threadId, createdAt }) => ({
    ...payload,
    threadId,
    threadTitle: titles.get(threadId) ?? '',
    createdAt: new Date(createdAt).toISOString(),
  }));
};
