import { createKeyedQueue } from '@drawbridge/kit';
import { runCommand } from '../commands/index.ts';
import { errors } from '../errors.ts';
import type { LaneSignals, RunContext } from '../engine/context.ts';
import { agentLimits } from '../engine/limits.ts';
import { threadOf } from '../engine/load.ts';
import type { QueueRow, ThreadRow } from '../rows.ts';
import { requireModel, storeFiles, threadFor } from '../run/accept.ts';
import type { LaneInput, LaneRequest, Lanes, Sender } from './api.ts';
import { digestOf, findRepeat, replay } from './keys.ts';
import type { Arrival } from './turns/lane-writes.ts';
import { createMetrics } from './metrics.ts';
import { policyOf } from './policy.ts';
import { createRequests, type OpenRequest, type Requests } from './requests.ts';
import { createRunner, type LaneRunner } from './runner.ts';

/** A message for a thread; `isRefusedWhenBusy`: its sender does not want to wait. */
interface Message {
  sender: Sender;
  threadId: string;
  input: LaneInput;
  isRefusedWhenBusy?: boolean;
}

/** Lanes with what the agent itself needs of them. */
export interface LaneParts extends Lanes {
  runner: LaneRunner;
  submit(message: Message): Promise<LaneRequest | OpenRequest>;
  stop(userId: string, threadId: string, what: 'all' | 'stop'): Promise<void>;
}

const newArrival = async (
  ctx: RunContext,
  thread: ThreadRow,
  { message: { sender, threadId, input }, digest }: { message: Message; digest: string | null },
): Promise<Arrival> => {
  const { userId, key: by, channel, groups, usesMemory } = sender;
  const { text, attachments = [], timeZone = null, key = null } = input;
  const { files, writes } = storeFiles(ctx, thread, attachments);
  const settings = await ctx.queueSettings?.();
  const { mode } = policyOf({ settings, channel, overrides: thread.lane.overrides });
  const id = ctx.newId('msg_');
  const createdAt = ctx.clock.now();
  const row: QueueRow = {
    userId,
    threadId,
    id,
    text,
    files,
    position: 0,
    mode: input.mode ?? mode,
    sender: by,
    channel,
    ...{
      groups: groups === null ? null : [...groups],
      usesMemory,
      timeZone,
      key,
      isHeld: false,
      createdAt,
      editedAt: null,
    },
  };
  if (key === null || digest === null) return { row, files: writes, request: null };
  const request = { userId, sender: by, key, threadId, id, digest, outcome: null, createdAt };
  return { row, files: writes, request };
};

const refuseTooManyKeys = async ({ store }: RunContext, { userId, key: sender }: Sender) => {
  const { keptKeys: limit } = agentLimits;
  const kept = await store.find('agentRequests', { userId, sender }, { limit, isLenient: true });
  if (kept.length >= limit) throw errors.tooManyRequests({ message: `${limit} idempotency keys are kept` });
};

interface Accepting {
  ctx: RunContext;
  requests: Requests;
  runner: LaneRunner;
}

const accept = async (
  { ctx, requests, runner }: Accepting,
  message: Message,
): Promise<LaneRequest | OpenRequest> => {
  const { sender, threadId, input, isRefusedWhenBusy = false } = message;
  const { userId } = sender;
  await requireModel(ctx, userId);
  const digest = input.key === undefined ? null : await digestOf(message);
  if (digest !== null) {
    const known = await findRepeat(ctx, message, digest);
    if (known) return replay(ctx, requests, known);
    await refuseTooManyKeys(ctx, sender);
  }
  const thread = await threadFor(ctx, sender, { threadId, machineId: input.machineId ?? null });
  const arrival = await newArrival(ctx, thread, { message, digest });
  const { id, mode, sender: by, channel, createdAt: at } = arrival.row;
  const request = requests.open({ requestId: id, userId, threadId, place: { at: 'waiting' } });
  const item = { id, mode, sender: by, channel, at, isHeld: false };
  try {
    await runner.post({ userId, threadId }, { event: { type: 'arrived', item, isRefusedWhenBusy }, arrival });
  } catch (error) {
    requests.end(id, { outcome: 'busy', isReplayed: false });
    throw error;
  }
  return request;
};

/** What the engine reports to lanes that are made after it. */
export const laneSignals = (runner: () => LaneRunner): LaneSignals => ({
  ended: (run) => runner().ended(run),
  check: (thread) => runner().check(thread),
  freed: () => runner().freed(),
});

/** The lanes of all threads: who sends what, and when it runs. */
export const createLanes = (ctx: RunContext): LaneParts => {
  const requests = createRequests(ctx.onError);
  const metrics = createMetrics();
  const runner = createRunner({ ctx, requests, metrics });
  const keyed = createKeyedQueue();

  const submit = (message: Message): Promise<LaneRequest | OpenRequest> => {
    const { sender, input } = message;
    const send = () => accept({ ctx, requests, runner }, message);
    // One key is one request, also of two connections at once.
    return input.key === undefined
      ? send()
      : keyed.run(JSON.stringify([sender.userId, sender.key, input.key]), send);
  };

  const stop: LaneParts['stop'] = async (userId, threadId, what) => {
    if (!(await threadOf(ctx, userId, threadId))) return;
    await (
      await runner.post({ userId, threadId }, { event: { type: 'cancelAsked', what } })
    ).stopped;
  };

  const cancel: Lanes['cancel'] = async (userId, threadId, { requestId }) => {
    const what = requestId === undefined ? 'all' : { request: requestId };
    const { before, effects } = await runner.post(
      { userId, threadId },
      { event: { type: 'cancelAsked', what } },
    );
    const rejected = effects.filter(({ type }) => type === 'settle').length;
    const { run } = before;
    const isRun = run !== null && (requestId === undefined || run.carrier === requestId);
    if (requestId !== undefined && rejected === 0 && !isRun) throw errors.notFound();
    return { cancelled: isRun || rejected > 0, runId: isRun ? run.id : null, rejected };
  };

  return {
    runner,
    submit,
    stop,
    send: (sender, threadId, input) => submit({ sender, threadId, input }),
    cancel,
    command: (sender, threadId, text) => runCommand({ ctx, runner, cancel }, { sender, threadId, text }),
    metrics: async (userId) => {
      const waiting =
        userId === undefined
          ? await ctx.store.findOfAll('agentQueue', {})
          : await ctx.store.find('agentQueue', { userId }, { isLenient: true });
      return metrics.read(userId, waiting.length);
    },
  };
};
