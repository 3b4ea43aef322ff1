import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import type {
  ViewAgent,
  ViewAsk,
  ViewCall,
  ViewEntry,
  ViewMessage,
  ViewRun,
} from '@drawbridge/contracts/agent/threads';
import { cutText } from '@drawbridge/kit';
import { agentLimits } from '../../rows/limits.ts';
import {
  type AgentRow,
  type AskRow,
  type MessageRow,
  type RunRow,
  type ToolCallRow,
} from '../../rows/rows.ts';
import { filesOf, wordsOf } from '../../rows/parts.ts';
import { shownArguments } from '../../tools/common/asks.ts';
import { usageOf } from '../../turns/ends/end-agent.ts';

// What the panel's fold makes of events, made of rows: the two must agree.

/** The events that are kept, by type: rows lack what only they say. */
export type KeptEvents = <Type extends StoredEvent['type']>(
  type: Type,
) => Extract<StoredEvent, { type: Type }>[];

const isOpenRun = ({ state }: RunRow) => state === 'active' || state === 'suspended';

const byEnd = (a: AgentRow, b: AgentRow) => (a.endedAt ?? 0) - (b.endedAt ?? 0);

interface RunParts {
  agents: readonly AgentRow[];
  kept: KeptEvents;
}

export const viewRun = (run: RunRow, { agents, kept }: RunParts): ViewRun => {
  const { id, kind, messageId, state, reason, startedAt, endedAt } = run;
  const errors = agents
    .filter(({ runId }) => runId === id)
    .toSorted(byEnd)
    .flatMap(({ error, failure }) => (failure === null ? [] : [{ content: error ?? '', ...failure }]));
  const notices = kept('notice').flatMap(({ runId, payload }) => (runId === id ? [payload.text] : []));
  const finish = kept('run-finish').find(({ runId }) => runId === id);
  return {
    id,
    kind,
    messageId,
    status: state === 'active' || state === 'suspended' ? null : state,
    ...(reason !== null && { reason }),
    // What its tasks and its title use after its end is in its row alone.
    ...(!isOpenRun(run) && { usage: finish?.payload.usage ?? usageOf(run) }),
    ...(notices.length > 0 && { notices }),
    errors,
    startedAt,
    endedAt,
  };
};

export const viewMessage = (row: MessageRow, run: RunRow | undefined, kept: KeptEvents): ViewMessage => {
  const { id, runId, parts, createdAt } = row;
  const delivery = parts.find((part) => part.type === 'delivery');
  const event = kept('user-message').find(({ payload }) => payload.messageId === id);
  return {
    id,
    text: wordsOf(parts),
    files: parts.flatMap((part) => (part.type === 'file' ? [part.file] : [])),
    source: event?.payload.source ?? (run?.messageId === id ? 'sent' : 'steered'),
    ...(delivery && { hook: delivery.hook }),
    runId,
    at: createdAt,
  };
};

export const viewCall = (call: ToolCallRow): ViewCall => {
  const { id, agentId, tool, requestId, turnId, outcome, shown, isShownCut, startedAt, endedAt } = call;
  return {
    id,
    agentId,
    toolName: tool,
    args: shownArguments(call.arguments, agentLimits.shownArgumentsBytes).args,
    // That of an action of a coding agent is its question, which comes after the action.
    ...(requestId !== null && turnId === null && { requestId }),
    outcome,
    result: shown,
    truncated: isShownCut,
    ...(outcome === 'ok' && filesOf(call.result ?? [])),
    startedAt,
    endedAt,
  };
};

interface Placed {
  at: number;
  entries: ViewEntry[];
}

const stepEntries = ({ step, parts, createdAt }: MessageRow): Placed => ({
  at: createdAt,
  entries: parts.flatMap((part): ViewEntry[] => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', step, text: part.text }];
      case 'reasoning':
        return part.text === ''
          ? []
          : [{ type: 'reasoning', step, text: cutText(part.text, agentLimits.shownReasoning) }];
      case 'tool-call':
        return [{ type: 'tool', toolCallId: part.toolCallId }];
      case 'file':
      case 'delivery':
        return [];
      default:
        return part satisfies never;
    }
  }),
});

interface AgentParts {
  /** The messages of the thread's runs, in the order of their histories. */
  messages: readonly MessageRow[];
  agents: readonly AgentRow[];
  /** Steered messages of the agent's run. */
  steered: readonly ViewMessage[];
}

export const viewAgent = (agent: AgentRow, { messages, agents, steered }: AgentParts): ViewAgent => {
  const { id, runId, parentId, kind, role, title, instructions, outcome, error, continues } = agent;
  const steps = messages.filter((row) => row.agentId === id && row.source === 'model').map(stepEntries);
  const children = agents
    .filter((one) => one.parentId === id)
    .map((one): Placed => ({ at: one.createdAt, entries: [{ type: 'agent', agentId: one.id }] }));
  const said = steered
    .filter((one) => kind === 'main' && one.runId === runId)
    .map((one): Placed => ({ at: one.at, entries: [{ type: 'user', messageId: one.id }] }));
  return {
    id,
    runId,
    parentId,
    kind,
    role,
    title,
    ...((kind === 'background' || kind === 'planned') && { taskId: id }),
    ...(continues !== null && { continues }),
    ...(agent.runtime !== null && { runtime: agent.runtime.id }),
    ...(agent.deletedAt !== null && { isDeleted: true }),
    ...(kind !== 'main' && { goal: instructions.slice(0, 2_000) }),
    status: outcome,
    result: agent.result,
    ...(error !== null && { error }),
    // The sort is stable: a step comes before what its calls have started at the same moment.
    entries: [...steps, ...children, ...said]
      .toSorted((a, b) => a.at - b.at)
      .flatMap(({ entries }) => entries),
    startedAt: agent.createdAt,
    endedAt: agent.endedAt,
  };
};

/** Open questions: those of the agent are rows, those of the machine are known by the call that waits. */
export const viewAsks = (
  asks: readonly AskRow[],
  calls: readonly ToolCallRow[],
  kept: KeptEvents,
): Record<string, ViewAsk> => {
  const waiting = new Set(
    calls.flatMap(({ state, effect, requestId }) =>
      state === 'waiting' && effect === 'machine' ? [requestId] : [],
    ),
  );
  const ofMachine = kept('confirmation-request')
    .filter(({ payload }) => waiting.has(payload.requestId))
    .map(({ ts, payload }) => ({ ...payload, at: ts }));
  const own = asks.map(({ payload, createdAt }) => ({ ...payload, at: createdAt }));
  return Object.fromEntries([...own, ...ofMachine].map((ask) => [ask.requestId, ask]));
};
