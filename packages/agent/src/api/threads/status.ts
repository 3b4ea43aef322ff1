import type { Thread, ThreadNow, ThreadStatus } from '@drawbridge/contracts/agent/threads';
import type { AgentRow, QueueRow, RunRow, ThreadRow, ToolCallRow } from '../../rows/rows.ts';
import { openAgentStates, openRunStates } from '../../rows/states.ts';
import type { AgentStore } from '../../rows/store.ts';
import type { Feed } from './feed.ts';

const isoOf = (at: number): string => new Date(at).toISOString();

const isBackground = ({ kind }: AgentRow) => kind === 'background' || kind === 'planned';

const statusOf = (run: RunRow | undefined, agents: readonly AgentRow[]): ThreadStatus => {
  if (run) return run.state === 'suspended' ? 'suspended' : 'active';
  return agents.some(isBackground) ? 'background' : 'idle';
};

/** A form of a coding agent waits as an ask alone. */
const isOfMachine = ({ requestId }: ToolCallRow): boolean => requestId !== null;

/** Threads with their status and the number of open questions, in the order of the rows. */
export const toThreads = async (
  { store }: { store: AgentStore },
  userId: string,
  rows: readonly ThreadRow[],
): Promise<Thread[]> => {
  const where = { userId, threadId: rows.map(({ id }) => id) };
  const lenient = { isLenient: true };
  const [runs, agents, asks, calls] = await Promise.all([
    store.find('agentRuns', { ...where, state: openRunStates }, lenient),
    store.find('agentAgents', { ...where, state: openAgentStates }, lenient),
    store.find('agentAsks', { ...where, state: 'open' }, lenient),
    store.find('agentToolCalls', { ...where, state: 'waiting', effect: 'machine', endedAt: null }, lenient),
  ]);
  return rows.map(({ id, title, machineId, createdAt, updatedAt }) => {
    const isOwn = ({ threadId }: { threadId: string }) => threadId === id;
    return {
      id,
      title,
      status: statusOf(runs.find(isOwn), agents.filter(isOwn)),
      waiting: asks.filter(isOwn).length + calls.filter(isOfMachine).filter(isOwn).length,
      machineId,
      createdAt: isoOf(createdAt),
      updatedAt: isoOf(updatedAt),
    };
  });
};

/** How many questions of the agent wait for the person, in all threads, or in those of one client. */
export const countWaiting = async (
  { store }: { store: AgentStore },
  userId: string,
  owner: string | null = null,
): Promise<number> => {
  const lenient = { isLenient: true };
  const [asks, calls, own] = await Promise.all([
    store.find('agentAsks', { userId, state: 'open' }, lenient),
    store.find('agentToolCalls', { userId, state: 'waiting', effect: 'machine', endedAt: null }, lenient),
    owner === null ? null : store.find('agentThreads', { userId, owner }, lenient),
  ]);
  const ids = own && new Set(own.map(({ id }) => id));
  return [...asks, ...calls.filter(isOfMachine)].filter(({ threadId }) => ids === null || ids.has(threadId))
    .length;
};

const queued = ({ id, text, files, createdAt }: QueueRow) => ({
  id,
  text,
  files,
  createdAt: isoOf(createdAt),
});

const task = ({ id, title, role, state, createdAt }: AgentRow) => ({
  taskId: id,
  title,
  role,
  state: state === 'waiting' || state === 'asking' ? ('waiting' as const) : ('running' as const),
  startedAt: isoOf(createdAt),
});

/** The present state of a thread. */
export const nowOf = async (
  { store, feed }: { store: AgentStore; feed: Pick<Feed, 'partial'> },
  { userId, id: threadId, canvasRev }: ThreadRow,
): Promise<ThreadNow> => {
  const where = { userId, threadId };
  const [[run], agents, queue] = await Promise.all([
    store.find('agentRuns', { ...where, state: openRunStates }, { isLenient: true }),
    store.find(
      'agentAgents',
      { ...where, state: openAgentStates },
      { isLenient: true, orderBy: 'createdAt' },
    ),
    store.find('agentQueue', where, { isLenient: true, orderBy: 'position' }),
  ]);
  // A step that is stored has its text in an event.
  const steps = new Map(agents.map(({ id, steps }) => [id, steps]));
  return {
    status: statusOf(run, agents),
    runId: run?.id ?? null,
    backgroundTasks: agents.filter(isBackground).map(task),
    queue: queue.map(queued),
    canvasRev,
    queuePaused: queue.some(({ isHeld }) => isHeld),
    partial: feed.partial(userId, threadId, ({ agentId, step }) => step > (steps.get(agentId) ?? Infinity)),
  };
};
