import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import type {
  ThreadView,
  ViewAgent,
  ViewCall,
  ViewEntry,
  ViewRun,
} from '@drawbridge/contracts/agent/threads';

type Of<Type extends StoredEvent['type']> = Extract<StoredEvent, { type: Type }>;

export const emptyView = (): ThreadView => ({
  title: '',
  lastSeq: 0,
  messages: {},
  runs: [],
  agents: {},
  calls: {},
  asks: {},
  tasks: [],
  plan: null,
});

const newAgent = (id: string, event: StoredEvent): ViewAgent => ({
  id,
  runId: event.runId,
  parentId: null,
  kind: 'main',
  role: '',
  title: '',
  status: null,
  result: '',
  entries: [],
  startedAt: event.ts,
  endedAt: null,
});

/** Changes an agent; a main agent begins with the first event that names it. */
const withAgent = (
  view: ThreadView,
  event: StoredEvent,
  change: (agent: ViewAgent) => Partial<ViewAgent>,
) => {
  const id = event.agentId;
  if (id === null) return view;
  const agent = view.agents[id] ?? newAgent(id, event);
  return { ...view, agents: { ...view.agents, [id]: { ...agent, ...change(agent) } } };
};

const withEntry = (view: ThreadView, event: StoredEvent, entry: ViewEntry) =>
  withAgent(view, event, ({ entries }) => ({ entries: [...entries, entry] }));

const withRun = (view: ThreadView, runId: string | null, change: (run: ViewRun) => Partial<ViewRun>) => ({
  ...view,
  runs: view.runs.map((run) => (run.id === runId ? { ...run, ...change(run) } : run)),
});

const onRunStart = (view: ThreadView, event: Of<'run-start'>): ThreadView => {
  const { runId, ts, payload } = event;
  if (runId === null || view.runs.some(({ id }) => id === runId)) return view;
  const { kind, messageId } = payload;
  const run = { id: runId, kind, messageId, status: null, errors: [], startedAt: ts, endedAt: null };
  return withAgent({ ...view, runs: [...view.runs, run] }, event, () => ({}));
};

const endMain = (view: ThreadView, { runId, ts, payload }: Of<'run-finish'>): ThreadView => ({
  ...view,
  agents: Object.fromEntries(
    Object.entries(view.agents).map(([id, agent]) =>
      agent.runId === runId && agent.kind === 'main' && agent.status === null
        ? [id, { ...agent, status: payload.status, endedAt: ts }]
        : [id, agent],
    ),
  ),
});

const onRunFinish = (view: ThreadView, event: Of<'run-finish'>): ThreadView => {
  const { status, reason, usage } = event.payload;
  return withRun(endMain(view, event), event.runId, () => ({
    status,
    usage,
    endedAt: event.ts,
    ...(reason !== undefined && { reason }),
  }));
};

const onMessage = (view: ThreadView, event: Of<'user-message'>): ThreadView => {
  const { messageId: id, text, files, source, hook } = event.payload;
  const { runId, ts: at } = event;
  const message = { id, text, files, source, ...(hook !== undefined && { hook }), runId, at };
  const next = { ...view, messages: { ...view.messages, [id]: message } };
  if (source !== 'steered') return next;
  const main = Object.values(view.agents).find(({ runId, kind }) => runId === event.runId && kind === 'main');
  const agentId = event.agentId ?? main?.id ?? null;
  return withEntry(next, { ...event, agentId }, { type: 'user', messageId: id });
};

const onSpawned = (view: ThreadView, event: Of<'agent-spawned'>): ThreadView => {
  const { parentId, role, kind, taskId, continues, runtime, title, subtitle, goal } = event.payload;
  const next = withAgent(view, event, () => ({
    parentId,
    role,
    kind,
    title: title ?? subtitle ?? '',
    ...(taskId !== undefined && { taskId }),
    ...(continues !== undefined && { continues }),
    ...(runtime !== undefined && { runtime }),
    ...(goal !== undefined && { goal }),
  }));
  if (event.agentId === null || parentId === null || !view.agents[parentId]) return next;
  return withEntry(next, { ...event, agentId: parentId }, { type: 'agent', agentId: event.agentId });
};

const onCompleted = (view: ThreadView, event: Of<'agent-completed'>): ThreadView => {
  const { role, status, result, error } = event.payload;
  const end = { role, status, result, endedAt: event.ts, ...(error !== undefined && { error }) };
  return withAgent(view, event, () => end);
};

const onDeleted = (view: ThreadView, event: Of<'agent-deleted'>): ThreadView => {
  const next = withAgent(view, event, ({ error: _error, ...agent }) => ({
    ...agent,
    ...{ title: '', goal: '', result: '', entries: [], isDeleted: true },
  }));
  const isKept = ([, { agentId }]: [string, ViewCall]) => agentId !== event.agentId;
  return { ...next, calls: Object.fromEntries(Object.entries(view.calls).filter(isKept)) };
};

const onCall = (view: ThreadView, event: Of<'tool-call'>): ThreadView => {
  const { agentId, ts } = event;
  const { toolCallId: id, toolName, args, requestId } = event.payload;
  if (agentId === null || view.calls[id]) return view;
  const open = { outcome: null, result: '', truncated: false, startedAt: ts, endedAt: null };
  const call = { id, agentId, toolName, args, ...(requestId !== undefined && { requestId }), ...open };
  const next = { ...view, calls: { ...view.calls, [id]: call } };
  return withEntry(next, event, { type: 'tool', toolCallId: id });
};

const endCall = (view: ThreadView, id: string, end: Partial<ViewCall>): ThreadView => {
  const call = view.calls[id];
  return call ? { ...view, calls: { ...view.calls, [id]: { ...call, ...end } } } : view;
};

const openAsk = (view: ThreadView, { payload, ts }: Of<'confirmation-request'>): ThreadView => ({
  ...view,
  asks: { ...view.asks, [payload.requestId]: { ...payload, at: ts } },
});

const closeAsk = (view: ThreadView, requestId: string): ThreadView => {
  const { [requestId]: _closed, ...asks } = view.asks;
  return { ...view, asks };
};

const apply = (view: ThreadView, event: StoredEvent): ThreadView => {
  switch (event.type) {
    case 'run-start':
      return onRunStart(view, event);
    case 'run-finish':
      return onRunFinish(view, event);
    case 'user-message':
      return onMessage(view, event);
    case 'agent-spawned':
      return onSpawned(view, event);
    case 'agent-completed':
      return onCompleted(view, event);
    case 'agent-deleted':
      return onDeleted(view, event);
    case 'text-block':
      return withEntry(view, event, { type: 'text', ...event.payload });
    case 'reasoning-block':
      return withEntry(view, event, { type: 'reasoning', ...event.payload });
    case 'tool-call':
      return onCall(view, event);
    case 'tool-result': {
      const { toolCallId, result, outcome, truncated = false, pictures, files } = event.payload;
      const shown = { ...(pictures && { pictures }), ...(files && { files }) };
      const end = { outcome, result, truncated, endedAt: event.ts, ...shown };
      return endCall(view, toolCallId, end);
    }
    case 'tool-error':
    case 'tool-interrupted': {
      const { toolCallId, error, outcome, truncated = false } = event.payload;
      return endCall(view, toolCallId, { outcome, result: error, truncated, endedAt: event.ts });
    }
    case 'confirmation-request':
      return openAsk(view, event);
    case 'confirmation-closed':
      return closeAsk(view, event.payload.requestId);
    case 'tasks-update':
      return { ...view, tasks: event.payload.tasks.tasks, plan: event.payload.plan ?? view.plan };
    case 'thread-title-updated':
      return { ...view, title: event.payload.title };
    case 'notice': {
      const { text } = event.payload;
      return withRun(view, event.runId, ({ notices = [] }) => ({ notices: [...notices, text] }));
    }
    case 'error': {
      const { content, code, retryable } = event.payload;
      const runId = event.runId ?? view.runs.at(-1)?.id ?? null;
      return withRun(view, runId, ({ errors }) => ({ errors: [...errors, { content, code, retryable }] }));
    }
    default:
      event satisfies never;
      return view;
  }
};

/**
 * Adds the stored event with the number `id`. An event that the view already contains changes nothing; the
 * caller detects a gap (`id > view.lastSeq + 1`).
 */
export const reduce = (view: ThreadView, id: number, event: StoredEvent): ThreadView =>
  id <= view.lastSeq ? view : { ...apply(view, event), lastSeq: id };

/** Puts an older page of runs before a view; what both contain is newer in the view. */
export const withOlder = (view: ThreadView, older: ThreadView): ThreadView => {
  const known = new Set(view.runs.map(({ id }) => id));
  return {
    ...view,
    messages: { ...older.messages, ...view.messages },
    runs: [...older.runs.filter(({ id }) => !known.has(id)), ...view.runs],
    agents: { ...older.agents, ...view.agents },
    calls: { ...older.calls, ...view.calls },
  };
};
