import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import type { AgentRows } from '../agent/rows.ts';
import type { Entry } from '../history.ts';
import { at, start } from './at.ts';

// One run of the agent in the chat: it rings the bell, which was allowed, and ends.

export const chatOp = 'op-500001';
const own = { userId: 'ann', threadId: 't' };
const head = { runId: 'run_1', agentId: 'ag_1', ts: start };

type Of<Name extends keyof AgentRows> = AgentRows[Name][number];

export const run = (changes: Partial<Of<'agentRuns'>> = {}): Of<'agentRuns'> => ({
  ...{ ...own, id: 'run_1', state: 'completed', startedAt: start + 5_000, endedAt: start + 7_000 },
  ...changes,
});

export const toolCall = (changes: Partial<Of<'agentToolCalls'>> = {}): Of<'agentToolCalls'> => ({
  ...{
    ...own,
    id: 'tc_1',
    runId: 'run_1',
    agentId: 'ag_1',
    tool: 'mcp__bell__ring',
    arguments: `{"op":"${chatOp}"}`,
  },
  ...{ effect: 'outside', state: 'ended', outcome: 'ok', requestId: null, askId: 'ask_1' },
  ...{ endedAt: start + 6_500 },
  ...changes,
});

export const ask = (changes: Partial<Of<'agentAsks'>> = {}): Of<'agentAsks'> => ({
  ...{ ...own, id: 'ask_1', toolCallId: 'tc_1', state: 'answered', answer: { approved: true } },
  ...{ closedAt: start + 6_000 },
  ...changes,
});

const usage = { inputTokens: 10, outputTokens: 5, cachedTokens: 0 };
export const began: StoredEvent = {
  type: 'run-start',
  ...head,
  payload: { messageId: 'msg_1', kind: 'message' },
};
export const ended: StoredEvent = { type: 'run-finish', ...head, payload: { status: 'completed', usage } };
const called: StoredEvent = {
  type: 'tool-call',
  ...head,
  payload: { toolCallId: 'tc_1', toolName: 'ring', args: {} },
};
export const answered: StoredEvent = {
  type: 'tool-result',
  ...head,
  payload: { toolCallId: 'tc_1', result: 'rung', outcome: 'ok' },
};

/** Rows of these events, numbered from 1. */
export const eventRows = (...events: StoredEvent[]): Of<'agentEvents'>[] =>
  events.map((event, index) => ({ ...own, seq: index + 1, event }));

export const chatEvents = [began, called, answered, ended];

/** Rows of the events, with the thread's count. */
export const withEvents = (...events: StoredEvent[]): Partial<AgentRows> => ({
  agentEvents: eventRows(...events),
  agentThreads: [{ userId: 'ann', id: 't', lastSeq: events.length }],
});

export const message = (id: string, changes: Partial<AgentRows['agentMessages'][number]> = {}) => ({
  ...{ ...own, id, role: 'assistant', sender: null, parts: [{ type: 'text' }] },
  ...changes,
});

export const agentRows = (changes: Partial<AgentRows> = {}): AgentRows => ({
  agentRuns: [run()],
  agentAgents: [{ ...own, id: 'ag_1', runId: 'run_1', kind: 'main', state: 'ended' }],
  agentToolCalls: [toolCall()],
  agentAsks: [ask()],
  agentMessages: [message('msg_2', { parts: [{ type: 'tool-call', toolCallId: 'tc_1', tool: 'computer' }] })],
  agentEvents: eventRows(...chatEvents),
  agentThreads: [{ userId: 'ann', id: 't', lastSeq: chatEvents.length }],
  ...changes,
});

export const seen = (seq: number, event: string): Entry =>
  at(7_100, { type: 'event', user: 0, thread: 't', seq, event, toolCallId: null });

export const answer = (id: string, status = 200): Entry =>
  at(6_000, { type: 'ask-answered', user: 0, thread: 't', ask: id, allowed: true, status });

export const rung = (ms: number): Entry => at(ms, { type: 'rung', op: chatOp });

export const chatHistory: Entry[] = [
  at(5_100, { type: 'said-reply', user: 0, thread: 't', op: chatOp, reply: 'run_1' }),
  ...[answer('ask_1'), answer('ask_1', 409), rung(6_200)],
  at(6_600, { type: 'model-request', op: chatOp, wrong: [] }),
  ...chatEvents.map(({ type }, index) => seen(index + 1, type)),
  at(9_100, { type: 'last-run', user: 0, status: 'completed' }),
];
