import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import type { ThreadSnapshot, ThreadView, ViewAsk } from '@drawbridge/contracts/agent/threads';
import { errors } from '../../rows/errors.ts';
import type { ThreadKey } from '../../rows/keys.ts';
import { threadRowOf } from '../../rows/load.ts';
import type { RunRow, ThreadRow } from '../../rows/rows.ts';
import type { AgentStore } from '../../rows/store.ts';
import { planViewOf } from '../../tools/plans/plan-rows.ts';
import type { Feed } from './feed.ts';
import { nowOf } from './status.ts';
import { type KeptEvents, viewAgent, viewAsks, viewCall, viewMessage, viewRun } from './view-rows.ts';

interface Reads {
  store: AgentStore;
  feed: Pick<Feed, 'partial'>;
}

export interface SnapshotPage {
  /** The run that the page ends before; the newest runs when undefined. */
  before?: string;
  limit: number;
}

const lenient = { isLenient: true } as const;

/** One page of runs, oldest first, and whether there are older ones. */
const runsOf = async ({ store }: Reads, thread: ThreadRow, { before, limit }: SnapshotPage) => {
  const where = { userId: thread.userId, threadId: thread.id };
  const [from] = before === undefined ? [] : await store.find('agentRuns', { ...where, id: before });
  if (before !== undefined && !from) throw errors.notFound({ message: 'There is no such run' });
  const newest = await store.find('agentRuns', where, {
    ...lenient,
    orderBy: 'startedAt',
    descending: true,
    limit: limit + 1,
    ...(from && { after: from.startedAt }),
  });
  return { runs: newest.slice(0, limit).toReversed(), hasMore: newest.length > limit };
};

const keptOf =
  (events: readonly StoredEvent[]): KeptEvents =>
  <Type extends StoredEvent['type']>(type: Type) =>
    events.filter((event): event is Extract<StoredEvent, { type: Type }> => event.type === type);

const byId = <Row extends { id: string }>(rows: readonly Row[]) =>
  Object.fromEntries(rows.map((row) => [row.id, row]));

const planOf = async ({ store }: Reads, where: ThreadKey) => {
  const newest = { ...lenient, orderBy: 'createdAt', descending: true, limit: 1 } as const;
  const [plan] = await store.find('agentPlans', where, newest);
  if (!plan) return null;
  const tasks = await store.find('agentPlanTasks', { userId: where.userId, planId: plan.id }, lenient);
  return planViewOf(plan, tasks);
};

/** The open questions of a thread, oldest first. */
export const openAsksOf = async (store: AgentStore, where: ThreadKey): Promise<ViewAsk[]> => {
  const [asks, calls, events] = await Promise.all([
    store.find('agentAsks', { ...where, state: 'open' }, lenient),
    store.find('agentToolCalls', { ...where, state: 'waiting' }, lenient),
    store.find('agentEvents', where, lenient),
  ]);
  const kept = keptOf(events.map(({ event }) => event));
  return Object.values(viewAsks(asks, calls, kept)).toSorted((a, b) => a.at - b.at);
};

const viewOf = async (reads: Reads, thread: ThreadRow, runs: readonly RunRow[]): Promise<ThreadView> => {
  const { store } = reads;
  const where = { userId: thread.userId, threadId: thread.id };
  const ofRuns = { ...where, runId: runs.map(({ id }) => id) };
  const [messages, agents, calls, asks, events, plan] = await Promise.all([
    store.find('agentMessages', ofRuns, lenient),
    store.find('agentAgents', ofRuns, { ...lenient, orderBy: 'createdAt' }),
    store.find('agentToolCalls', ofRuns, lenient),
    store.find('agentAsks', { ...where, state: 'open' }, lenient),
    store.find('agentEvents', where, lenient),
    planOf(reads, where),
  ]);
  const kept = keptOf(events.map(({ event }) => event));
  const shown = messages
    .filter(({ source }) => source === 'person')
    .map((row) =>
      viewMessage(
        row,
        runs.find(({ id }) => id === row.runId),
        kept,
      ),
    );
  const steered = shown.filter(({ source }) => source === 'steered');
  return {
    title: thread.title,
    lastSeq: thread.lastSeq,
    messages: byId(shown),
    runs: runs.map((run) => viewRun(run, { agents, kept })),
    agents: byId(agents.map((agent) => viewAgent(agent, { messages, agents, steered }))),
    calls: byId(calls.map(viewCall)),
    asks: viewAsks(asks, calls, kept),
    tasks: thread.tasks,
    plan,
  };
};

/** Reads are several queries: when an event came in between, they are made again. */
const maxTries = 5;

/** What the thread shows, by its rows. Throws `notFound`. */
export const snapshotOf = async (
  reads: Reads,
  { userId, threadId }: ThreadKey,
  page: SnapshotPage,
): Promise<ThreadSnapshot> => {
  for (let tries = 1; ; tries += 1) {
    const thread = await threadRowOf(reads, userId, threadId);
    const { runs, hasMore } = await runsOf(reads, thread, page);
    const view = await viewOf(reads, thread, runs);
    const now = await nowOf(reads, thread);
    const { lastSeq } = await threadRowOf(reads, userId, threadId);
    if (lastSeq !== thread.lastSeq && tries < maxTries) continue;
    const before = hasMore ? (runs[0]?.id ?? null) : null;
    return { view, now, nextEventId: thread.lastSeq + 1, before };
  }
};
