import { sleep, type Clock } from '@drawbridge/kit';
import { type AgentStore, remove, type Write } from '../../rows/store.ts';

const ofThread = [
  'agentRuns',
  'agentAgents',
  'agentMessages',
  'agentToolCalls',
  'agentAsks',
  'agentEvents',
  'agentPlans',
  'agentQueue',
  'agentRequests',
  'agentCommands',
  'agentArtifacts',
  'agentNotes',
  'agentGrants',
  'agentFiles',
] as const;

/** Deletes a thread with all that is its own, in one transaction. */
export const removeRows = async (store: AgentStore, userId: string, threadId: string): Promise<void> => {
  const where = { userId, threadId };
  const [plans, agents] = await Promise.all([
    store.find('agentPlans', where, { isLenient: true }),
    store.find('agentAgents', where, { isLenient: true }),
  ]);
  const writes: Write[] = [
    remove('agentThreads', { userId, id: threadId }),
    ...ofThread.map((table) => remove(table, where)),
    remove('agentPlanTasks', { userId, planId: plans.map(({ id }) => id) }),
    remove('agentCorrections', { userId, agentId: agents.map(({ id }) => id) }),
  ];
  await store.commit(writes, 'synced');
};

/** Runs for each, also after one that fails; then throws what the first one that failed threw. */
export const forEach = async <T>(all: readonly T[], run: (one: T) => Promise<void>): Promise<void> => {
  const failures: unknown[] = [];
  for (const one of all) await run(one).catch((error: unknown) => void failures.push(error));
  if (failures.length > 0) throw failures[0];
};

interface Forgetting {
  store: AgentStore;
  clock: Clock;
  /** A thread that was used last before this time is deleted. */
  keepMs: number;
  /** Stops what runs in a thread and deletes it. */
  removeThread(userId: string, threadId: string): Promise<void>;
}

const atOnce = 20;
const pauseMs = 100;

/** Deletes threads that were not used for that long, a few at once. */
export const forgetOldThreads = async (
  { store, clock, keepMs, removeThread }: Forgetting,
  signal: AbortSignal,
): Promise<void> => {
  const oldest = { orderBy: 'updatedAt', limit: atOnce } as const;
  for (;;) {
    signal.throwIfAborted();
    const before = clock.now() - keepMs;
    const old = (await store.findOfAll('agentThreads', {}, oldest)).filter(
      ({ updatedAt }) => updatedAt < before,
    );
    await forEach(old, ({ userId, id }) => removeThread(userId, id));
    if (old.length < atOnce) return;
    await sleep(clock, pauseMs, signal);
  }
};
