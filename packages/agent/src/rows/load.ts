import { errors } from './errors.ts';
import type { ThreadKey } from './keys.ts';
import { type AgentRow, mainHistory, type RunRow, type ThreadRow, type ToolCallRow } from './rows.ts';
import { openCallStates, openRunStates } from './states.ts';
import type { AgentStore } from './store.ts';

interface Reads {
  store: AgentStore;
}

/** An agent at work, as its rows are. */
export interface Work {
  thread: ThreadRow;
  run: RunRow;
  agent: AgentRow;
}

export const threadOf = async (
  { store }: Reads,
  userId: string,
  id: string,
): Promise<ThreadRow | undefined> => (await store.find('agentThreads', { userId, id }))[0];

export const runOf = async ({ store }: Reads, userId: string, id: string): Promise<RunRow | undefined> =>
  (await store.find('agentRuns', { userId, id }))[0];

/** The run that is open in the thread. */
export const openRunOf = async (
  { store }: Reads,
  userId: string,
  threadId: string,
): Promise<RunRow | undefined> =>
  (await store.find('agentRuns', { userId, threadId, state: openRunStates }))[0];

export const agentOf = async ({ store }: Reads, userId: string, id: string): Promise<AgentRow | undefined> =>
  (await store.find('agentAgents', { userId, id }))[0];

/** The calls of an agent's newest step, in the model's order. */
export const callsOf = ({ store }: Reads, { userId, id, steps }: AgentRow): Promise<ToolCallRow[]> =>
  store.find('agentToolCalls', { userId, agentId: id, step: steps }, { orderBy: 'n' });

/** The calls of an agent that have not ended. */
export const openCallsOf = ({ store }: Reads, { userId, id }: AgentRow): Promise<ToolCallRow[]> =>
  store.find('agentToolCalls', { userId, agentId: id, state: openCallStates });

/** An agent with its run and thread; undefined if one of them is gone. */
export const workOf = async (reads: Reads, userId: string, agentId: string): Promise<Work | undefined> => {
  const agent = await agentOf(reads, userId, agentId);
  if (!agent) return undefined;
  const [thread, run] = await Promise.all([
    threadOf(reads, userId, agent.threadId),
    runOf(reads, userId, agent.runId),
  ]);
  return thread && run && { thread, run, agent };
};

export const historyOf = ({ kind, id, continues }: Pick<AgentRow, 'kind' | 'id' | 'continues'>): string =>
  kind === 'main' ? mainHistory : (continues ?? id);

/** What answers an agent in the place of the model: a run's choice is that of its main agent alone. */
export const runtimeOf = ({ run, agent }: Pick<Work, 'run' | 'agent'>): RunRow['runtime'] => {
  if (agent.kind === 'main') return run.runtime;
  if (agent.runtime === null) return null;
  const { id, machineId, folder } = agent.runtime;
  return { id, machineId, folder, source: 'thread', tokens: null };
};

/** The number of the next message of a history: two writers of it cannot both succeed. */
export const nextSeq = async (
  { store }: Reads,
  { userId, threadId, history }: { userId: string; threadId: string; history: string },
): Promise<number> => {
  const where = { userId, threadId, history };
  const [last] = await store.find('agentMessages', where, { orderBy: 'seq', descending: true, limit: 1 });
  return (last?.seq ?? 0) + 1;
};

/** Whether text from outside has entered a thread, in any of its runs. */
export const isThreadTainted = async ({ store }: Reads, { userId, threadId }: ThreadKey): Promise<boolean> =>
  (await store.find('agentAgents', { userId, threadId, tainted: true }, { limit: 1 })).length > 0;

/** The row of a thread. Throws `notFound`. */
export const threadRowOf = async ({ store }: Reads, userId: string, id: string): Promise<ThreadRow> => {
  const [row] = await store.find('agentThreads', { userId, id });
  if (!row) throw errors.notFound({ message: 'There is no such thread' });
  return row;
};
