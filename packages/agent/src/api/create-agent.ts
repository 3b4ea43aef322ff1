import {
  maxMemoryLength,
  memorySections,
  type Memory,
  type MemoryInput,
} from '@drawbridge/contracts/agent/memory';
import type { AskAnswer, OpenAsk } from '@drawbridge/contracts/agent/asks';
import type { AnswerPlace } from '@drawbridge/contracts/confirmation';
import { createEmitter, type Emitter } from '@drawbridge/kit';
import type { LaneContext } from '../engine/lanes/lane-context.ts';
import { traceEnd } from '../engine/trace-ends.ts';
import { noTracer, tracedModel } from '../engine/trace-model.ts';
import { memoryOf, memoryRow } from '../memory/working-memory.ts';
import type { AgentNeeds } from '../ports/needs.ts';
import type { Tracer } from '../ports/tracing.ts';
import { errors } from '../rows/errors.ts';
import { type ThreadKey, threadsOf } from '../rows/keys.ts';
import { agentLimits } from '../rows/limits.ts';
import { threadOf } from '../rows/load.ts';
import type { MemoryRow } from '../rows/rows.ts';
import { type AgentStore, put, type Write } from '../rows/store.ts';
import { cancelAgentTask, correctTask } from '../tools/plans/background.ts';
import { creditsOf } from '../turns/budget.ts';
import { confirmAsk } from '../turns/ends/confirm.ts';
import type { Agent, EndedRun } from './agent.ts';
import { continueRun } from './lanes/continue-run.ts';
import { createLanes } from './lanes/lanes.ts';
import { createQueue, sendMessage } from './lanes/queue.ts';
import { runtimeChoices } from './runtime-choices.ts';
import { openEngine } from './servers/open-engine.ts';
import { createStops } from './stop-threads.ts';
import { createFeed } from './threads/feed.ts';
import { createThreads } from './threads/threads.ts';

/** The agent's open questions in all chats of a user, oldest first; without the questions of machines. */
const openAsks = async ({ store }: { store: AgentStore }, userId: string): Promise<OpenAsk[]> => {
  const rows = await store.find(
    'agentAsks',
    { userId, state: 'open' },
    { orderBy: 'createdAt', limit: agentLimits.listedAsks, isLenient: true },
  );
  if (rows.length === 0) return [];
  const ids = [...new Set(rows.map(({ threadId }) => threadId))];
  const threads = await store.find('agentThreads', { userId, id: ids }, { isLenient: true });
  const titles = new Map(threads.map(({ id, title }) => [id, title]));
  return rows.map(({ payload, threadId, createdAt }) => ({
    ...payload,
    threadId,
    threadTitle: titles.get(threadId) ?? '',
    createdAt: new Date(createdAt).toISOString(),
  }));
};

export interface OpenedAsk {
  userId: string;
  threadId: string;
  id: string;
  /** In milliseconds since 1970; null: it does not expire. */
  expiresAt: number | null;
}

export interface CreateAgentNeeds extends Omit<AgentNeeds, 'bus' | 'tracer'> {
  /** Without it nothing is traced. */
  tracer?: Tracer;
  /** Threads that were used last longer ago are deleted, in milliseconds; null: kept. */
  keepMs: number | null;
  /** Called once a question of the agent itself is stored; those of machines are the gateway's. */
  onAsked?(ask: OpenedAsk): void;
}

type EventWrite = Extract<Write, { type: 'event' }>;

interface Published {
  events(events: readonly EventWrite[]): void;
  /** A user whose model calls were counted. */
  usage(userId: string): void;
}

/** Readers learn of what is stored once it is. */
const publishing = (store: AgentStore, publish: Published): AgentStore => ({
  ...store,
  commit: async (writes, durability) => {
    if (!(await store.commit(writes, durability))) return false;
    publish.events(writes.filter((write) => write.type === 'event'));
    for (const write of writes)
      if (write.type === 'update' && write.table === 'agentRuns' && write.add)
        publish.usage(write.where.userId);
    return true;
  },
});

/** Who asks for it, as `Sender.key`. */
interface Continuing {
  sender: string;
  usesMemory: boolean;
}

/** The key of listeners to the ends of all runs. */
const anyRun = '';

const asksOf = ({ userId, threadId, event }: EventWrite): OpenedAsk[] => {
  if (event.type !== 'confirmation-request' || event.payload.inputType === 'resource-decision') return [];
  const { requestId: id, expiresAt } = event.payload;
  return [{ userId, threadId, id, expiresAt: expiresAt === null ? null : Date.parse(expiresAt) }];
};

/** The end of a run is stored once, so it is reported once, also where there are several servers. */
const reportEnds = async (
  { store }: Pick<CreateAgentNeeds, 'store'>,
  ends: Emitter<EndedRun>,
  events: readonly EventWrite[],
): Promise<void> => {
  for (const { userId, threadId, event } of ends.count(anyRun) === 0 ? [] : events) {
    if (event.type !== 'run-finish' || event.runId === null || event.payload.status === 'cancelled') continue;
    const [run] = await store.find('agentRuns', { userId, id: event.runId });
    if (!run) continue;
    const { id, kind, sender, startedAt } = run;
    ends.emit(anyRun, { userId, threadId, id, kind, sender, ms: event.ts - startedAt });
  }
};

/** The same with a span for each model call, and for each agent and tool call that ends. */
const tracing = ({ tracer, store, model, clock, newId, onError }: CreateAgentNeeds) => {
  if (tracer === undefined) return { tracer: noTracer, model, traceEnds: () => {} };
  return {
    tracer,
    model: tracedModel(model, { tracer, clock, newId }),
    traceEnds: (events: readonly EventWrite[]) => {
      for (const { userId, event } of events) traceEnd({ store, tracer }, userId, event).catch(onError);
    },
  };
};

const toMemory = ({ sections, enabled, version }: MemoryRow): Memory => ({
  sections: Object.fromEntries(
    memorySections.map((name) => [name, sections[name] ?? '']),
  ) as Memory['sections'],
  enabled,
  version,
});

const changeMemory = async (
  { store, clock }: Pick<AgentNeeds, 'store' | 'clock'>,
  userId: string,
  { sections = {}, enabled, version }: MemoryInput,
): Promise<Memory> => {
  const row = await memoryOf(store, userId);
  if (row.version !== version)
    throw errors.conflict({ message: 'The memory has changed meanwhile', fix: 'Read it again.' });
  const change = { sections: { ...row.sections, ...sections }, enabled: enabled ?? row.enabled };
  const length = Object.values(change.sections).join('').length;
  if (length > maxMemoryLength) throw errors.tooLarge();
  const next = memoryRow(row, { ...change, now: clock.now() });
  await store.commit([put('agentMemory', next)], 'synced');
  return toMemory(next);
};

/** The person's answer to a question of the agent, or of a machine. */
const confirm = async (
  ctx: LaneContext,
  { userId, requestId, via }: { userId: string; requestId: string; via: AnswerPlace | null },
  answer: AskAnswer,
): Promise<{ runId: string | null }> => {
  if (requestId.startsWith('ask_')) {
    const { runId, effects } = await confirmAsk(ctx, { userId, askId: requestId }, answer);
    await ctx.perform(effects);
    return { runId };
  }
  if (answer.kind !== 'resourceDecision' && answer.kind !== 'approval') throw errors.badRequest();
  await ctx.machine.decide(userId, requestId, { answer, via });
  const [call] = await ctx.store.find('agentToolCalls', { userId, requestId });
  return { runId: call?.runId ?? null };
};

/** What the core needs, with readers who learn of what is stored. */
const openNeeds = (given: CreateAgentNeeds) => {
  const { clock, onError } = given;
  const versionOf = async ({ userId, threadId: id }: ThreadKey) => {
    const [thread] = await given.store.find('agentThreads', { userId, id });
    return JSON.stringify([thread?.lastSeq, thread?.wakes, thread?.updatedAt, thread?.canvasRev]);
  };
  const feed = createFeed({ clock, onError, relay: given.servers?.relay, versionOf });
  const { tracer, model, traceEnds } = tracing(given);
  const usage = createEmitter<null>(onError);
  const ends = createEmitter<EndedRun>(onError);
  const publishEvents = (events: readonly EventWrite[]) => {
    const stored = events.map(({ event }) => event);
    for (const { userId, threadId } of threadsOf(events)) feed.stored(userId, threadId, stored);
    traceEnds(events);
    reportEnds(given, ends, events).catch(onError);
    events.flatMap(asksOf).forEach((ask) => given.onAsked?.(ask));
  };
  const publish = { events: publishEvents, usage: (userId: string) => usage.emit(userId, null) };
  const needs: AgentNeeds = { ...given, store: publishing(given.store, publish), bus: feed, tracer, model };
  return { feed, usage, ends, needs };
};

/** The built-in agent. */
export const createAgent = (given: CreateAgentNeeds): Agent => {
  const { clock, machine } = given;
  const { feed, usage, ends, needs } = openNeeds(given);
  const { store } = needs;
  const engine = openEngine(needs, feed);
  const { ctx, runner, commands } = engine;
  const lanes = createLanes(engine);
  const threads = createThreads({
    store,
    feed,
    clock,
    machine,
    workspace: given.workspace,
    keepMs: given.keepMs ?? Infinity,
    stop: (userId, threadId) => lanes.stop(userId, threadId, 'all'),
  });
  const requireThread = async (userId: string, threadId: string) => {
    const thread = await threadOf(ctx, userId, threadId);
    if (!thread) throw errors.notFound();
    return thread;
  };
  const resume = commands.define('continue', (key, { sender, usesMemory }: Continuing) =>
    continueRun(runner, { ...key, key: sender, usesMemory }),
  );
  const cancelTask = commands.define('cancelTask', async ({ userId, threadId }, taskId: string) => {
    if (!(await cancelAgentTask(ctx, await requireThread(userId, threadId), taskId))) throw errors.notFound();
  });
  const stops: (() => void)[] = [];

  return {
    threads,
    canvas: ctx.canvas,
    lanes,
    queue: createQueue(engine),
    send: (sender, threadId, input) => sendMessage(lanes, { sender, threadId }, input),
    continue: ({ userId, key, usesMemory }, threadId) =>
      resume({ userId, threadId }, { sender: key, usesMemory }),
    ...createStops(ctx, lanes),
    confirm: (userId, requestId, answer, via = null) => confirm(ctx, { userId, requestId, via }, answer),
    openAsks: (userId) => openAsks(needs, userId),
    runtimes: (userId, threadId) => runtimeChoices(needs, { userId, threadId }),
    tasks: {
      cancel: (userId, { threadId, taskId }) => cancelTask({ userId, threadId }, taskId),
      correct: async (userId, { threadId, taskId }, text) => {
        const thread = await requireThread(userId, threadId);
        if (!(await correctTask(ctx, thread, { taskId, text }))) throw errors.notFound();
      },
    },
    memory: {
      get: async (userId) => toMemory(await memoryOf(store, userId)),
      change: (userId, input) => changeMemory(needs, userId, input),
    },
    credits: (userId) => creditsOf(needs, userId),
    onUsage: (userId, listener) => usage.on(userId, listener),
    onRunEnded: (listener) => ends.on(anyRun, listener),
    forgetOld: async (signal) => {
      if (given.keepMs !== null) await threads.forgetOld(signal);
    },
    start: async () => {
      stops.push(
        machine.onChanged((userId, requestId) => {
          engine.onMachineCall(userId, requestId).catch(ctx.onError);
        }),
        clock.every(agentLimits.sweepEveryMs, () => void engine.sweep().catch(ctx.onError)),
      );
      machine.onTurn(engine.onTurn);
      await engine.start();
    },
    stop: async () => {
      for (const stop of stops.splice(0)) stop();
      await engine.stop();
      await engine.leave();
    },
  };
};
