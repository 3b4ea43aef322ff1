import type { CallRow, ConfirmationRow, Evidence, StepRow } from '../evidence.ts';
import type { Entry } from '../history.ts';
import { agentRows, chatHistory } from './a-good-chat.ts';
import { at, start } from './at.ts';

// A short correct run: one command with a question, allowed, and run once. Tests change one thing of it.

export const op = 'op-000001';
export const other = 'op-000002';

export const call = (changes: Partial<CallRow> = {}): CallRow => ({
  requestId: 'r1',
  userId: 'ann',
  tool: 'shell_execute',
  door: 'trpc',
  state: 'succeeded',
  started: 1,
  error: null,
  arguments: `{"command":"echo ${op}"}`,
  result: `{"content":[{"type":"text","text":"${op}"}]}`,
  createdAt: start + 100,
  endedAt: start + 2_000,
  op,
  ...changes,
});

export const question = (changes: Partial<ConfirmationRow> = {}): ConfirmationRow => ({
  id: 'c1',
  requestId: 'r1',
  state: 'decided',
  approved: 1,
  decision: 'allowOnce',
  createdAt: start + 200,
  decidedAt: start + 500,
  ...changes,
});

export const mark = (ms: number, name = op) => ({
  op: name,
  what: 'begins' as const,
  at: start + ms,
  root: '/ann',
});

export const step = (changes: Partial<StepRow> = {}): StepRow => ({
  ...{ userId: 'ann', threadId: 't', messageId: 'msg_2', server: 'server 0', driver: 'server 0' },
  ...changes,
});

const good: Entry[] = [
  at(0, { type: 'begun', seed: 1, users: 1, servers: 1, callMaxMs: 30_000 }),
  at(0, { type: 'server-ready' }),
  at(0, { type: 'user', user: 0, userId: 'ann', asks: ['shell'] }),
  at(90, { type: 'asked', op, user: 0, tool: 'shell' }),
  at(95, { type: 'stream', link: 'stream', user: 0, stream: 1, key: 'k' }),
  at(110, {
    type: 'frame',
    user: 0,
    stream: 1,
    id: 1,
    event: 'filesystem-request',
    requestId: 'r1',
  }),
  at(300, { type: 'answered', op, requestId: 'r1', state: 'awaiting-confirmation', result: null }),
  at(400, { type: 'click', confirmationId: 'c1', requestId: 'r1', approved: true }),
  at(510, { type: 'decided', confirmationId: 'c1', approved: true, decision: 'allowOnce' }),
  at(2_100, { type: 'seen', user: 0, requestId: 'r1', state: 'succeeded' }),
  at(3_000, { type: 'memory', who: 'server', kib: 90_000, handles: 40 }),
  at(9_000, { type: 'last-call', user: 0, state: 'succeeded' }),
];

export const evidence = (changes: Partial<Evidence> = {}, more: Entry[] = []): Evidence => ({
  calls: [call()],
  confirmations: [question()],
  machines: {},
  marks: [mark(600)],
  edits: [],
  agent: agentRows(),
  steps: [step()],
  ...changes,
  history: [...good, ...chatHistory, ...more],
});
