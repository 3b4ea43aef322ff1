import { createKeyedQueue } from '@drawbridge/kit';
import type { LaneContext } from '../../engine/lanes/lane-context.ts';
import type { MetricsRecorder } from '../../engine/lanes/metrics.ts';
import type { CancelResult, LaneInput, LaneMetrics, LaneRequest } from '../../engine/lanes/request.ts';
import type { Requests } from '../../engine/lanes/requests.ts';
import type { LaneRunner } from '../../engine/lanes/runner.ts';
import { policyOf } from '../../machines/lane-policy.ts';
import { errors } from '../../rows/errors.ts';
import type { ThreadKey } from '../../rows/keys.ts';
import { agentLimits } from '../../rows/limits.ts';
import { threadOf } from '../../rows/load.ts';
import type { QueueRow, ThreadRow } from '../../rows/rows.ts';
import type { Sender } from '../../rows/sender.ts';
import type { Arrival } from '../../turns/lanes/lane-writes.ts';
import { requireRoute, storeFiles, threadFor } from '../../turns/runs/accept.ts';
import { runCommand } from '../commands/index.ts';
import { type Commands, ownCommands } from './at-driver.ts';
import { digestOf, findKept, findRepeat, isAccepted, replay, replayById } from './keys.ts';

/** A message for a thread; `isRefusedWhenBusy`: its sender does not want to wait. */
interface Message {
  sender: Sender;
  threadId: string;
  input: LaneInput;
  isRefusedWhenBusy?: boolean;
  /** Where it has one before it is accepted: it may have been accepted before. */
  id?: string | undefined;
}

/** Messages to threads, one run of a thread at a time. Ids of another user answer like unknown ones. */
export interface Lanes {
  /**
   * Makes an unknown thread. Throws `agentOff`, `budgetSpent`, `idempotencyKeyReused`, `queueFull` when 200
   * messages of the user wait, `tooLarge` when 64 MiB of attachments do, and `notFound` for a machine that is
   * not theirs.
   */
  send(sender: Sender, threadId: string, input: LaneInput): Promise<LaneRequest>;
  /** The request that was sent with this key, whatever its body. Throws `notFound` without one. */
  find(sender: Sender, threadId: string, key: string): Promise<LaneRequest>;
  /** Ends what waits, then the run and its background tasks; or one request. Throws `notFound`. */
  cancel(userId: string, threadId: string, what: { requestId?: string | undefined }): Promise<CancelResult>;
  /** The answer to a command such as `/queue`; null for any other text. */
  command(sender: Sender, threadId: string, text: string): Promise<string | null>;
  /** Of one user, or of the whole server, since its start. */
  metrics(userId?: string): Promise<LaneMetrics>;
}

/** Lanes with what the agent itself needs of them. */
export interface SendingLanes extends Lanes {
  submit(message: Message): Promise<LaneRequest>;
  stop(userId: string, threadId: string, what: 'all' | 'stop'): Promise<void>;
}

type AcceptNeeds = Pick<
  LaneContext,
  'store' | 'model' | 'machine' | 'clock' | 'newId' | 'config' | 'queueSettings' | 'stopAgents'
>;

const newArrival = async (
  ctx: AcceptNeeds,
  thread: ThreadRow,
  { message: { sender, threadId, input, id: given }, digest }: { message: Message; digest: string | null },
): Promise<Arrival> => {
  const { userId, key: by, channel, groups, usesMemory } = sender;
  const { text, attachments = [], timeZone = null, key = null } = input;
  const { files, writes } = storeFiles(ctx, thread, attachments);
  const settings = await ctx.queueSettings?.();
  const { mode } = policyOf({ settings, channel, overrides: thread.lane.overrides });
  const id = given ?? ctx.newId('msg_');
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
    groups: groups === null ? null : [...groups],
    usesMemory,
    timeZone,
    key,
    isHeld: false,
    createdAt,
    editedAt: null,
  };
  if (key === null || digest === null) return { row, files: writes, request: null };
  const request = { userId, sender: by, key, threadId, id, digest, outcome: null, createdAt };
  return { row, files: writes, request };
};

const refuseTooManyKeys = async ({ store }: AcceptNeeds, { userId, key: sender }: Sender) => {
  const { keptKeys: limit } = agentLimits;
  const kept = await store.find('agentRequests', { userId, sender }, { limit, isLenient: true });
  if (kept.length >= limit) throw errors.tooManyRequests({ message: `${limit} idempotency keys are kept` });
};

interface Accepting {
  ctx: AcceptNeeds;
  requests: Requests;
  runner: LaneRunner;
}

const accept = async ({ ctx, requests, runner }: Accepting, message: Message): Promise<LaneRequest> => {
  const { sender, threadId, input, isRefusedWhenBusy = false } = message;
  const { userId } = sender;
  await runner.requireOwn({ userId, threadId });
  if (message.id !== undefined) {
    const made = { userId, threadId, id: message.id };
    if (await isAccepted(ctx, made)) return replayById(ctx, requests, made);
  }
  const machineId = input.machineId ?? null;
  const known = await threadOf(ctx, userId, threadId);
  await requireRoute(ctx, { thread: known ?? { userId, machineId, runtime: null }, sender });
  const digest = input.key === undefined ? null : await digestOf(message);
  if (digest !== null) {
    const repeated = await findRepeat(ctx, message, digest);
    if (repeated) return replay(ctx, requests, repeated);
    await refuseTooManyKeys(ctx, sender);
  }
  const thread = await threadFor(ctx, sender, { threadId, machineId });
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

interface LanesNeeds extends Accepting {
  metrics: MetricsRecorder;
  commands?: Commands;
}

/** The lanes of all threads: who sends what, and when it runs. */
export const createLanes = ({
  ctx,
  runner,
  requests,
  metrics,
  commands = ownCommands,
}: LanesNeeds): SendingLanes => {
  const keyed = createKeyedQueue();

  const sendHere = (message: Message): Promise<LaneRequest> => {
    const { sender, input } = message;
    const send = () => accept({ ctx, requests, runner }, message);
    // One key is one request, also of two connections at once.
    return input.key === undefined
      ? send()
      : keyed.run(JSON.stringify([sender.userId, sender.key, input.key]), send);
  };
  const send = commands.defineRequest('send', (_, message: Message, id) => sendHere({ ...message, id }));
  const submit: SendingLanes['submit'] = (message) =>
    send({ userId: message.sender.userId, threadId: message.threadId }, message);

  const find = commands.defineRequest(
    'find',
    async ({ threadId }, { sender, key }: { sender: Sender; key: string }) => {
      await runner.requireOwn({ userId: sender.userId, threadId });
      const known = await findKept(ctx, sender, key);
      if (known?.threadId !== threadId) throw errors.notFound();
      return replay(ctx, requests, known);
    },
  );

  const stop = commands.define('stop', async (key, what: 'all' | 'stop') => {
    if (!(await threadOf(ctx, key.userId, key.threadId))) return;
    await (
      await runner.post(key, { event: { type: 'cancelAsked', what } })
    ).stopped;
  });

  const cancelHere = async (
    key: ThreadKey,
    { requestId }: { requestId?: string | undefined },
  ): Promise<CancelResult> => {
    const what = requestId === undefined ? 'all' : { request: requestId };
    const { before, effects } = await runner.post(key, { event: { type: 'cancelAsked', what } });
    const rejected = effects.filter(({ type }) => type === 'settle').length;
    const { run } = before;
    const isRun = run !== null && (requestId === undefined || run.startedBy === requestId);
    if (requestId !== undefined && rejected === 0 && !isRun) throw errors.notFound();
    return { cancelled: isRun || rejected > 0, runId: isRun ? run.id : null, rejected };
  };
  const cancel = commands.define('cancel', cancelHere);

  const say = commands.define(
    'command',
    ({ threadId }, { sender, text }: { sender: Sender; text: string }) => {
      const cancelOf = (userId: string, id: string, what: object) =>
        cancelHere({ userId, threadId: id }, what);
      return runCommand({ ctx, runner, cancel: cancelOf }, { sender, threadId, text });
    },
  );

  return {
    submit,
    stop: (userId, threadId, what) => stop({ userId, threadId }, what),
    send: (sender, threadId, input) => submit({ sender, threadId, input }),
    find: (sender, threadId, key) => find({ userId: sender.userId, threadId }, { sender, key }),
    cancel: (userId, threadId, what) => cancel({ userId, threadId }, what),
    command: (sender, threadId, text) => say({ userId: sender.userId, threadId }, { sender, text }),
    metrics: async (userId) => {
      const waiting =
        userId === undefined
          ? await ctx.store.findOfAll('agentQueue', {})
          : await ctx.store.find('agentQueue', { userId }, { isLenient: true });
      return metrics.read(userId, waiting.length);
    },
  };
};
