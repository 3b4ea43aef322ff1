import type { Threads } from '@drawbridge/agent';
import type { Thread, ThreadChange } from '@drawbridge/contracts/agent/threads';
import { hasCode } from '@drawbridge/kit';

const threadOrNull = async (threads: Threads, userId: string, threadId: string): Promise<Thread | null> => {
  try {
    return await threads.get(userId, threadId);
  } catch (error) {
    if (hasCode(error, 'NOT_FOUND')) return null;
    throw error;
  }
};

const changeOf = async (threads: Threads, userId: string, threadId: string): Promise<ThreadChange> => ({
  threadId,
  thread: await threadOrNull(threads, userId, threadId),
  waiting: await threads.waiting(userId),
});

interface Needs {
  threads: Threads;
  onError(error: unknown): void;
}

/** Publishes each thread of the user that is made, changed or removed; the returned function stops it. */
export const watchThreads = (
  { threads, onError }: Needs,
  userId: string,
  publish: (change: ThreadChange) => void,
): (() => void) =>
  threads.onChanged(userId, (threadId) => {
    changeOf(threads, userId, threadId).then(publish, onError);
  });
