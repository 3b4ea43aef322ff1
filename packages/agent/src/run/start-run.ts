import type { MessageFile } from '@drawbridge/contracts/agent/events';
import { mainHistory, type AgentRow, type RunRow, type ThreadRow } from '../rows.ts';
import { insert, update, type Write } from '../store-port.ts';
import { eventOf, runEventOf, type RunContext } from '../engine/context.ts';
import { agentLimits } from '../engine/limits.ts';
import { nextSeq, threadOf } from '../engine/load.ts';
import { plainTitle } from '../memory/title.ts';
import { noteOfContinue } from './notes.ts';
import { newMessage } from '../engine/new-rows.ts';

export interface NewMessage {
  id: string;
  text: string;
  files: MessageFile[];
  source: 'sent' | 'queued' | 'steered';
}

const newRun = (
  ctx: RunContext,
  thread: ThreadRow,
  { model, timeZone }: Pick<RunRow, 'model' | 'timeZone'>,
): RunRow => ({
  userId: thread.userId,
  id: ctx.newId('run_'),
  threadId: thread.id,
  kind: 'message',
  messageId: null,
  state: 'active',
  reason: null,
  model,
  crashes: 0,
  isPaused: false,
  timeZone,
  stopAskedAt: null,
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  costMicro: null,
  isEstimated: false,
  approvedTokens: 0,
  approvedCalls: 0,
  approvedAt: null,
  waitedMs: 0,
  startedAt: ctx.clock.now(),
  endedAt: null,
});

const newMain = (ctx: RunContext, run: RunRow): AgentRow => ({
  userId: run.userId,
  id: ctx.newId('ag_'),
  threadId: run.threadId,
  runId: run.id,
  parentId: null,
  parentCallId: null,
  kind: 'main',
  role: 'agent',
  title: '',
  instructions: '',
  tools: null,
  loaded: [],
  maxSteps: agentLimits.mainSteps,
  steps: 0,
  state: 'ready',
  outcome: null,
  result: '',
  error: null,
  failure: null,
  tainted: false,
  planTaskId: null,
  lastActiveAt: run.startedAt,
  createdAt: run.startedAt,
  endedAt: null,
});

/** The person's message in the history of the main agents. */
export const messageWrites = async (
  ctx: RunContext,
  run: Pick<RunRow, 'userId' | 'threadId' | 'id'>,
  message: NewMessage,
): Promise<Write[]> => {
  const { userId, threadId, id: runId } = run;
  const { id, text, files, source } = message;
  const row = newMessage(ctx, {
    userId,
    threadId,
    history: mainHistory,
    seq: await nextSeq(ctx, { userId, threadId, history: mainHistory }),
    id,
    runId,
    agentId: null,
    role: 'user',
    source: 'person',
    parts: [{ type: 'text', text }, ...files.map((file) => ({ type: 'file' as const, file }))],
  });
  return [
    insert('agentMessages', row),
    runEventOf(ctx, run, ['user-message', { messageId: id, text, files, source }]),
  ];
};

/** Its first words name a thread until the helper model has a title for it. */
const titleWrites = async (ctx: RunContext, run: RunRow, message: NewMessage): Promise<Write[]> => {
  const thread = await threadOf(ctx, run.userId, run.threadId);
  const title = plainTitle(message.text);
  if (thread?.titleBy !== null || thread.title !== '' || title === '') return [];
  return [
    update('agentThreads', { userId: run.userId, id: run.threadId, title: '' }, { title }),
    runEventOf(ctx, run, ['thread-title-updated', { title }]),
  ];
};

interface RunStart {
  model: string;
  timeZone: string | null;
  /** Null for a run that continues another one, or that background work starts. */
  message: NewMessage | null;
  /** The run that the person asked to continue. */
  continued?: RunRow;
  writes?: Write[];
}

/** A run with its main agent; null if the thread has an open run. */
export const startRun = async (
  ctx: RunContext,
  thread: ThreadRow,
  start: RunStart,
): Promise<RunRow | null> => {
  const { message, continued } = start;
  const kind = message === null ? (continued ? 'continue' : 'follow-up') : 'message';
  const run: RunRow = {
    ...newRun(ctx, thread, start),
    kind,
    messageId: message?.id ?? null,
  };
  const agent = newMain(ctx, run);
  const spawned = { parentId: null, role: agent.role, kind: agent.kind, tools: [] };
  const traceId = ctx.tracer.traceId(run.id);
  const started = { messageId: run.messageId, kind: run.kind, ...(traceId !== null && { traceId }) };
  const writes = [
    insert('agentRuns', run),
    insert('agentAgents', agent),
    ...(start.writes ?? []),
    runEventOf(ctx, run, ['run-start', started]),
    ...(message === null ? [] : await messageWrites(ctx, run, message)),
    ...(continued ? [await noteOfContinue(ctx, { thread, run }, continued)] : []),
    eventOf(ctx, agent, ['agent-spawned', spawned]),
    ...(message === null ? [] : await titleWrites(ctx, run, message)),
    update('agentThreads', { userId: thread.userId, id: thread.id }, { updatedAt: ctx.clock.now() }),
  ];
  if (!(await ctx.store.commit(writes, 'synced'))) return null;
  ctx.wake(run.userId, agent.id);
  return run;
};
