/** A thread of a user, and its lane. */
export interface ThreadKey {
  userId: string;
  threadId: string;
}

/** As one string, for maps and queues. */
export const keyOf = ({ userId, threadId }: ThreadKey): string => JSON.stringify([userId, threadId]);

/** The threads of these rows, each once. */
export const threadsOf = (rows: readonly ThreadKey[]): ThreadKey[] => {
  const threads = rows.map(({ userId, threadId }) => ({ userId, threadId }));
  return [...new Map(threads.map((thread) => [keyOf(thread), thread])).values()];
};
