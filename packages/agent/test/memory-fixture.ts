import { createFakeClock } from '@drawbridge/kit';
import { type ContextInput, contextOf, readMaterial } from '../src/memory/context.ts';
import {
  ModelError,
  type ModelInfo,
  type ModelPart,
  type ModelPort,
  type ModelRequest,
} from '../src/ports/model.ts';
import type { FileRow, MessageRow, NoteRow, ThreadRow, ToolCallRow } from '../src/rows/rows.ts';
import type { AgentStore } from '../src/rows/store.ts';
import { rowsStore } from './rows-store.ts';
import { fileRow, messageRow, noteRow, threadRow, toolCallRow } from './rows.ts';

export const at = Date.UTC(2026, 10, 23, 9, 30);

export const message = (userId: string, seq: number, change: Partial<MessageRow> = {}): MessageRow =>
  messageRow(userId, seq, {
    threadId: 't',
    agentId: 'ag_1',
    step: seq,
    parts: [{ type: 'text', text: `message ${seq}` }],
    tokens: 1,
    createdAt: at,
    ...change,
  });

export const call = (userId: string, id: string, change: Partial<ToolCallRow> = {}): ToolCallRow =>
  toolCallRow(userId, id, {
    threadId: 't',
    tool: 'read',
    state: 'ended',
    outcome: 'ok',
    result: [{ type: 'text', text: `result of ${id}` }],
    startedAt: at,
    endedAt: at,
    ...change,
  });

/** A message of an agent that called one tool. */
export const step = (userId: string, seq: number, text = `step ${seq}`): MessageRow =>
  message(userId, seq, {
    role: 'assistant',
    source: 'model',
    parts: [
      { type: 'text', text },
      { type: 'tool-call', toolCallId: `tc_${seq}`, tool: 'read', arguments: '{}' },
    ],
  });

export const note = (userId: string, seq: number, change: Partial<NoteRow> = {}): NoteRow =>
  noteRow(userId, seq, { threadId: 't', createdAt: at, ...change });

export const picture = (userId: string, id: string): FileRow =>
  fileRow(userId, id, { threadId: 't', name: `${id}.png`, data: btoa(id), createdAt: at });

export const thread = (userId: string): ThreadRow => threadRow(userId, 't', { createdAt: at, updatedAt: at });

/** A message of the person, then steps whose results have that many characters. */
export const conversation = (
  userId: string,
  { steps, resultLength, secret = '' }: { steps: number; resultLength: number; secret?: string },
) => {
  const seqs = Array.from({ length: steps }, (_, index) => index + 2);
  return {
    agentMessages: [
      message(userId, 1, { parts: [{ type: 'text', text: `Tidy the folder. ${secret}` }] }),
      ...seqs.map((seq) => step(userId, seq, `step ${seq} ${secret}`)),
    ],
    agentToolCalls: seqs.map((seq) =>
      call(userId, `tc_${seq}`, { result: [{ type: 'text', text: secret + 'x'.repeat(resultLength) }] }),
    ),
  };
};

export const info = (contextTokens: number): ModelInfo => ({
  id: 'stub',
  provider: 'stub',
  contextTokens,
  maxOutputTokens: 8_192,
  prices: null,
});

/** What the helper model does with a request: it answers, fails, or is silent until it is aborted. */
export type Reply = string | ModelError | 'silent' | 'cut';

const usage = { inputTokens: 10, outputTokens: 2, cachedTokens: 0 };

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new ModelError('aborted', 'Aborted.')), { once: true });
  });

export const memoryFixture = (
  rows: Parameters<typeof rowsStore>[0],
  replies: Reply[] = [],
  contextTokens = 100_000,
) => {
  const requests: ModelRequest[] = [];
  const stream = async function* (request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    requests.push(request);
    const reply = replies.shift() ?? '';
    if (reply === 'silent') await untilAborted(signal);
    if (reply instanceof ModelError) throw reply;
    yield { type: 'text', text: reply };
    yield { type: 'finish', reason: reply === 'cut' ? 'length' : 'stop', usage };
  };
  const model: ModelPort = {
    info: () => Promise.resolve(info(contextTokens)),
    stream,
    lowerContext: () => {},
  };
  const clock = createFakeClock(at);
  return {
    requests,
    clock,
    ctx: { store: rowsStore(rows), model, clock, signal: new AbortController().signal },
  };
};

export const contextInput = (change: Partial<ContextInput> = {}): ContextInput => ({
  threadId: 't',
  history: 'main',
  usesMemory: true,
  memoryNamespace: 'user',
  system: ['system'],
  tools: [],
  info: info(100_000),
  mark: 'm1',
  counted: null,
  ...change,
});

/** The context of the stored rows. */
export const buildContext = async (userId: string, input: ContextInput, { store }: { store: AgentStore }) =>
  contextOf(await readMaterial(userId, input, store), input);
