import { insert, update, type Write } from '@drawbridge/agent';
import type { AskPayload } from '@drawbridge/contracts/agent/asks';
import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import { agentRow, messageRow, runRow, threadRow, toolCallRow } from '../../../packages/agent/test/rows.ts';

/** Of the thread `t1` of `ann`. */
export const event = (one: StoredEvent): Write => ({
  type: 'event',
  userId: 'ann',
  threadId: 't1',
  event: one,
});
export const head = (agentId: string | null, ts: number) => ({ runId: 'run_1', agentId, ts });
const usage = { inputTokens: 10, outputTokens: 5, cachedTokens: 0 };

const ask = (requestId: string, changes: Partial<AskPayload>): AskPayload => ({
  requestId,
  toolCallId: null,
  toolName: 'write_file',
  args: {},
  severity: 'warning',
  message: 'Write?',
  inputType: 'approval',
  expiresAt: null,
  ...changes,
});

/** A run that delegates, is steered, asks twice and fails: rows and events as the engine writes them. */
export const story: Write[][] = [
  [
    insert('agentThreads', threadRow('ann', 't1')),
    insert('agentRuns', runRow('ann', 'run_1', { messageId: 'msg_1', startedAt: 1 })),
    insert('agentAgents', agentRow('ann', 'ag_1', { createdAt: 1 })),
    event({ type: 'run-start', ...head(null, 1), payload: { messageId: 'msg_1', kind: 'message' } }),
    insert('agentMessages', messageRow('ann', 1, { parts: [{ type: 'text', text: 'Go' }] })),
    event({
      type: 'user-message',
      ...head(null, 1),
      payload: { messageId: 'msg_1', text: 'Go', files: [], source: 'queued' },
    }),
    event({
      type: 'agent-spawned',
      ...head('ag_1', 1),
      payload: { parentId: null, role: 'agent', kind: 'main', tools: [] },
    }),
  ],
  [
    insert(
      'agentMessages',
      messageRow('ann', 2, {
        agentId: 'ag_1',
        role: 'assistant',
        source: 'model',
        step: 1,
        createdAt: 2,
        parts: [
          { type: 'reasoning', text: 'Hm', provider: 'stub', metadata: null },
          { type: 'text', text: 'I delegate.' },
          { type: 'tool-call', toolCallId: 'tc_1', tool: 'delegate', arguments: '{"role":"writer"}' },
        ],
      }),
    ),
    event({ type: 'reasoning-block', ...head('ag_1', 2), payload: { text: 'Hm', step: 1 } }),
    event({ type: 'text-block', ...head('ag_1', 2), payload: { text: 'I delegate.', step: 1 } }),
    insert(
      'agentToolCalls',
      toolCallRow('ann', 'tc_1', {
        tool: 'delegate',
        arguments: '{"role":"writer"}',
        state: 'waiting',
        effect: 'own',
        startedAt: 2,
      }),
    ),
    event({
      type: 'tool-call',
      ...head('ag_1', 2),
      payload: { toolCallId: 'tc_1', toolName: 'delegate', args: { role: 'writer' } },
    }),
    update('agentAgents', { userId: 'ann', id: 'ag_1' }, { steps: 1, state: 'waiting' }),
  ],
  [
    insert(
      'agentAgents',
      agentRow('ann', 'ag_2', {
        parentId: 'ag_1',
        kind: 'background',
        role: 'writer',
        title: 'Write it',
        instructions: 'Write a page',
        state: 'waiting',
        createdAt: 2,
      }),
    ),
    event({
      type: 'agent-spawned',
      ...head('ag_2', 2),
      payload: {
        parentId: 'ag_1',
        role: 'writer',
        kind: 'background',
        tools: [],
        taskId: 'ag_2',
        title: 'Write it',
        goal: 'Write a page',
      },
    }),
    insert(
      'agentToolCalls',
      toolCallRow('ann', 'tc_2', {
        agentId: 'ag_2',
        tool: 'write_file',
        effect: 'machine',
        requestId: 'r1',
        state: 'waiting',
        startedAt: 3,
      }),
    ),
    insert(
      'agentMessages',
      messageRow('ann', 1, {
        history: 'ag_2',
        agentId: 'ag_2',
        role: 'assistant',
        source: 'model',
        step: 1,
        createdAt: 3,
        parts: [{ type: 'tool-call', toolCallId: 'tc_2', tool: 'write_file', arguments: '{}' }],
      }),
    ),
    event({
      type: 'tool-call',
      ...head('ag_2', 3),
      payload: { toolCallId: 'tc_2', toolName: 'write_file', args: {}, requestId: 'r1' },
    }),
    event({
      type: 'confirmation-request',
      ...head('ag_2', 4),
      payload: ask('r1', { toolCallId: 'tc_2', inputType: 'resource-decision' }),
    }),
    insert('agentAsks', {
      ...{ userId: 'ann', id: 'ask_1', threadId: 't1', runId: 'run_1', agentId: 'ag_1', toolCallId: null },
      ...{ kind: 'text', payload: ask('ask_1', { inputType: 'text' }), state: 'open', answer: null },
      ...{ createdAt: 4, expiresAt: null, closedAt: null },
    }),
    event({ type: 'confirmation-request', ...head('ag_1', 4), payload: ask('ask_1', { inputType: 'text' }) }),
  ],
  [
    insert(
      'agentMessages',
      messageRow('ann', 3, { createdAt: 5, parts: [{ type: 'text', text: 'Faster' }] }),
    ),
    event({
      type: 'user-message',
      ...head(null, 5),
      payload: { messageId: 'msg_3', text: 'Faster', files: [], source: 'steered' },
    }),
    update(
      'agentThreads',
      { userId: 'ann', id: 't1' },
      { tasks: [{ id: 'a', description: 'A', status: 'done' }] },
    ),
    event({
      type: 'tasks-update',
      ...head('ag_1', 6),
      payload: { tasks: { tasks: [{ id: 'a', description: 'A', status: 'done' }] } },
    }),
    update(
      'agentToolCalls',
      { userId: 'ann', id: 'tc_1' },
      {
        state: 'ended',
        outcome: 'ok',
        result: [{ type: 'text', text: 'x' }],
        whole: 'y'.repeat(9_000),
        shown: 'y'.repeat(8_000),
        isShownCut: true,
        endedAt: 7,
      },
    ),
    event({
      type: 'tool-result',
      ...head('ag_1', 7),
      payload: { toolCallId: 'tc_1', result: 'y'.repeat(8_000), outcome: 'ok', truncated: true },
    }),
  ],
  [
    event({
      type: 'error',
      ...head('ag_1', 8),
      payload: { content: 'Busy', code: 'MODEL_UNAVAILABLE', retryable: true },
    }),
    update(
      'agentAgents',
      { userId: 'ann', id: 'ag_1' },
      {
        ...{ state: 'ended', outcome: 'error', result: 'Half', endedAt: 8 },
        ...{ error: 'Busy', failure: { code: 'MODEL_UNAVAILABLE', retryable: true } },
      },
    ),
    event({
      type: 'agent-completed',
      ...head('ag_1', 8),
      payload: { role: 'agent', status: 'error', result: 'Half', error: 'Busy' },
    }),
    update(
      'agentRuns',
      { userId: 'ann', id: 'run_1' },
      { state: 'error', reason: 'Busy', inputTokens: 10, outputTokens: 5, endedAt: 8 },
    ),
    event({ type: 'run-finish', ...head(null, 8), payload: { status: 'error', reason: 'Busy', usage } }),
  ],
];
