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

/** How an agent names the task of a plan that it works on. */
export const planTaskId = (planId: string, taskId: string): string => `${planId}/${taskId}`;

/** Empty ids, which no plan has, for an agent without a task. */
export const planTaskOf = (id: string | null): { planId: string; taskId: string } => {
  const [planId = '', taskId = ''] = (id ?? '').split('/');
  return { planId, taskId };
};
