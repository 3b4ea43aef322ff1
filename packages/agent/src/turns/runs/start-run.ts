import type { MessageFile } from '@drawbridge/contracts/agent/events';
import type { ToolScope } from '@drawbridge/contracts/groups';
import { plainTitle } from '../../memory/title.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import { eventOf, runEventOf } from '../../rows/events.ts';
import { agentLimits } from '../../rows/limits.ts';
import { isThreadTainted, nextSeq, threadOf } from '../../rows/load.ts';
import { newAgent, newMessage } from '../../rows/new-rows.ts';
import { mainHistory, type RunRow, type ThreadRow } from '../../rows/rows.ts';
import { hookOf, isFromOutside } from '../../rows/sender.ts';
import { insert, update, type Write } from '../../rows/store.ts';
import type { TurnEffect } from '../effects.ts';
import { noteFor, noteOfContinue } from '../ends/notes.ts';
import { native, type Route } from '../runtimes/route.ts';

export interface NewMessage {
  id: string;
  text: string;
  files: MessageFile[];
  source: 'sent' | 'queued' | 'steered';
}

type NewRows = Pick<AgentNeeds, 'clock' | 'newId'>;
export type StartNeeds = Pick<AgentNeeds, 'store' | 'clock' | 'newId' | 'tracer' | 'onBackend'>;

const newRun = (
  ctx: NewRows,
  thread: ThreadRow,
  { route: { model, runtime }, timeZone, sender, groups, usesMemory, runId }: RunStart,
): RunRow => ({
  userId: thread.userId,
  id: runId ?? ctx.newId('run_'),
  threadId: thread.id,
  kind: 'message',
  messageId: null,
  startedBy: null,
  sender,
  groups: groups === null ? null : [...groups],
  // What is said in a client's thread is read by this client.
  usesMemory: usesMemory && (thread.owner === null || thread.owner === sender),
  state: 'active',
  reason: null,
  model,
  runtime,
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

/** Messages of the person in the history of the main agents, from the number `seq` on. */
export const messageWrites = (
  ctx: NewRows,
  run: Pick<RunRow, 'userId' | 'threadId' | 'id' | 'sender'>,
  { messages, seq }: { messages: readonly NewMessage[]; seq: number },
): { rows: Write[]; events: Write[] } => {
  const { userId, threadId, id: runId } = run;
  // All messages of a run come from one sender.
  const hook = hookOf(run.sender);
  return {
    rows: messages.map(({ id, text, files }, at) => {
      const parts = [
        hook === null ? { type: 'text' as const, text } : { type: 'delivery' as const, hook, text },
        ...files.map((file) => ({ type: 'file' as const, file })),
      ];
      const own = { userId, threadId, history: mainHistory, id, runId, agentId: null, parts };
      return insert(
        'agentMessages',
        newMessage(ctx, { ...own, seq: seq + at, role: 'user', source: 'person', sender: run.sender }),
      );
    }),
    events: messages.map(({ id, text, files, source }) =>
      runEventOf(ctx, run, 'user-message', {
        messageId: id,
        text,
        files,
        source,
        ...(hook !== null && { hook }),
      }),
    ),
  };
};

/** Its first words name a thread until the helper model has a title for it. */
const titleWrites = async (ctx: StartNeeds, run: RunRow, message: NewMessage): Promise<Write[]> => {
  const thread = await threadOf(ctx, run.userId, run.threadId);
  // A delivery chooses no name: questions about machines show it.
  const hook = hookOf(run.sender);
  const title = plainTitle(hook === null ? message.text : `Webhook ${hook}`);
  if (thread?.titleBy !== null || thread.title !== '' || title === '') return [];
  return [
    update('agentThreads', { userId: run.userId, id: run.threadId, title: '' }, { title }),
    runEventOf(ctx, run, 'thread-title-updated', { title }),
  ];
};

export interface RunStart {
  route: Route;
  timeZone: string | null;
  /** The sender of the messages that it answers, and the groups of tools that it may use. */
  sender: string;
  groups: readonly ToolScope[] | null;
  usesMemory: boolean;
  /** In their order; none for a run that continues another one, or that background work starts. */
  messages: readonly NewMessage[];
  runId?: string;
  /** A note of the server that stands before the messages. */
  note?: string;
  /** The run that the person asked to continue. */
  continued?: RunRow;
  writes?: Write[];
}

/** The first message begins the run as the thread shows it; the others stand in it like steered ones. */
const storyOf = async (
  ctx: StartNeeds,
  { thread, run }: { thread: ThreadRow; run: RunRow },
  { messages, note, continued }: RunStart,
): Promise<{ before: Write[]; after: Write[] }> => {
  const { userId, id: threadId } = thread;
  const seq = await nextSeq(ctx, { userId, threadId, history: mainHistory });
  const notes = note === undefined ? [] : [await noteFor(ctx, { thread, run }, { text: note, seq })];
  const shown = messages.map((message, at) =>
    at === 0 ? message : { ...message, source: 'steered' as const },
  );
  const { rows, events } = messageWrites(ctx, run, { messages: shown, seq: seq + notes.length });
  const asked = continued ? [await noteOfContinue(ctx, { thread, run }, continued)] : [];
  return { before: [...notes, ...rows, ...events.slice(0, 1), ...asked], after: events.slice(1) };
};

const reportRoute = (
  { onBackend }: StartNeeds,
  { userId, threadId, id: runId, runtime }: RunRow,
  { fallbackFrom: from }: Route,
): void => {
  const to = runtime?.id ?? native;
  const { source = 'config', machineId = null } = runtime ?? {};
  onBackend?.({ audit: 'backend.route', userId, threadId, runId, runtime: from ?? to, source, machineId });
  const code = 'RUNTIME_UNAVAILABLE';
  if (from !== null) onBackend?.({ audit: 'backend.fallback', userId, runId, from, to, code });
};

/** A run with its main agent; null if the thread has an open run, or something was written meanwhile. */
export const startRun = async (
  ctx: StartNeeds,
  thread: ThreadRow,
  start: RunStart,
): Promise<{ run: RunRow; effects: TurnEffect[] } | null> => {
  const { messages, continued } = start;
  const kind = messages.length > 0 ? 'message' : continued ? 'continue' : 'follow-up';
  const run: RunRow = {
    ...newRun(ctx, thread, start),
    kind,
    messageId: messages[0]?.id ?? null,
    startedBy: messages.at(-1)?.id ?? null,
  };
  const isTainted = isFromOutside(run, messages) || (await isThreadTainted(ctx, run));
  const agent = newAgent(ctx, run, {
    kind: 'main',
    role: 'agent',
    maxSteps: agentLimits.mainSteps,
    tainted: isTainted,
  });
  const spawned = { parentId: null, role: agent.role, kind: agent.kind, tools: [] };
  const traceId = ctx.tracer.traceId(run.id);
  const started = { messageId: run.messageId, kind: run.kind, ...(traceId !== null && { traceId }) };
  const { before, after } = await storyOf(ctx, { thread, run }, start);
  const writes = [
    insert('agentRuns', run),
    insert('agentAgents', agent),
    ...(start.writes ?? []),
    runEventOf(ctx, run, 'run-start', started),
    ...before,
    eventOf(ctx, agent, 'agent-spawned', spawned),
    ...after,
    ...(messages[0] ? await titleWrites(ctx, run, messages[0]) : []),
    update('agentThreads', { userId: thread.userId, id: thread.id }, { updatedAt: ctx.clock.now() }),
  ];
  if (!(await ctx.store.commit(writes, 'synced'))) return null;
  reportRoute(ctx, run, start.route);
  return { run, effects: [{ type: 'wake', userId: run.userId, agentId: agent.id }] };
};
