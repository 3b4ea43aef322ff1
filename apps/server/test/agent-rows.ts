import type { RunRow, ThreadRow, ToolCallRow } from '@drawbridge/agent';
import type { StoredEvent } from '@drawbridge/contracts/agent/events';

export const threadRow = (userId: string, id: string, changes: Partial<ThreadRow> = {}): ThreadRow => ({
  userId,
  id,
  title: '',
  titleBy: null,
  machineId: null,
  tasks: [],
  lastSeq: 0,
  eventBytes: 0,
  queuePaused: false,
  createdAt: 1,
  updatedAt: 1,
  ...changes,
});

export const runRow = (userId: string, id: string, changes: Partial<RunRow> = {}): RunRow => ({
  userId,
  id,
  threadId: 't1',
  kind: 'message',
  messageId: null,
  state: 'active',
  reason: null,
  model: 'stub',
  crashes: 0,
  timeZone: null,
  stopAskedAt: null,
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  costMicro: null,
  isEstimated: false,
  approvedTokens: 0,
  approvedCalls: 0,
  startedAt: 1,
  endedAt: null,
  ...changes,
});

export const toolCallRow = (userId: string, id: string, changes: Partial<ToolCallRow> = {}): ToolCallRow => ({
  userId,
  id,
  threadId: 't1',
  runId: 'run_1',
  agentId: 'ag_1',
  step: 1,
  n: 0,
  tool: 'read_file',
  arguments: '{}',
  effect: 'read',
  state: 'planned',
  outcome: null,
  requestId: null,
  askId: null,
  result: null,
  whole: null,
  signature: null,
  startedAt: 1,
  endedAt: null,
  ...changes,
});

export const textEvent = (text: string, ts = 1): StoredEvent => ({
  type: 'text-block',
  runId: 'run_1',
  agentId: 'ag_1',
  ts,
  payload: { text, step: 1 },
});
