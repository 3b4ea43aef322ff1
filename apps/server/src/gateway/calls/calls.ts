import type { Call, CallEvent, CallVia, Door } from '@drawbridge/contracts/calls';
import { asksClientAnnotation, inputArgument, type ClientInput } from '@drawbridge/contracts/client-input';
import type { ProgressReply } from '@drawbridge/contracts/daemon-reply';
import type { ProgressBody, ResponseBody } from '@drawbridge/contracts/daemon-surface';
import type { Tool } from '@drawbridge/contracts/tool';
import { withoutConfirmation, type ToolCall } from '@drawbridge/contracts/tool-call';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { subjectOf } from '../../subject/index.ts';
import { errors } from '../../errors.ts';
import { requireArguments } from './arguments/check-arguments.ts';
import type { StoringBudget } from './storing/budget.ts';
import { readAnswer, type Answer } from './answer.ts';
import { toCall, toSummary, type CallRecord } from './call.ts';
import type { CallsStore } from './store/calls.store.ts';
import type { Bus } from '../bus.ts';
import type { DaemonQuestions } from '../confirmations/confirmations.ts';
import type { MachineRef, Registry } from '../machines/registry.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import type { LiveOutputs } from './live-outputs.ts';
import type { GatewayLimits } from '../limits.ts';
import type { OpenCall } from './open-call.ts';
import type { OpenCalls, Step } from './open-calls.ts';
import type { Machine } from '../machines/registry.ts';

/** The daemon that reports on a call: its machine and its epoch. */
export interface Sender {
  machine: Machine;
  epoch: number;
}

/** How a call is made: through which door, until when its caller waits, and how the caller cancels it. */
export interface CallOptions {
  door: Door;
  /** The token or client it came through; left out for a signed-in user. */
  via?: CallVia;
  /** The ids of the machines that its caller may use; all of the user when undefined. */
  reach?: readonly string[];
  /** `ended`: resolves in a terminal state. `asked`: resolves there or when a confirmation first opens. */
  until: 'ended' | 'asked';
  signal?: AbortSignal;
  /**
   * What the caller's client can be asked and has answered, for a tool that asks it; the only way to such a
   * tool.
   */
  clientInput?: ClientInput;
  /** What `Idempotency.claim` gave; a call without an idempotency key when undefined. */
  claim?: { requestId: string; key: string | null };
  /** Called with the id before the call is published. */
  onOpened?(requestId: string): void;
}

/** A token or a client that calls come through, whatever its name. */
export type CallMaker = Pick<CallVia, 'kind' | 'id'>;

/** Calls as users see them. Ids of another user answer like unknown ones: `notFound`. Specification 6. */
export interface Calls {
  /**
   * Runs a tool. Throws `notFound`, `notConnected`, `machinePaused`, `unknownTool`, `gatewayDisabled`,
   * `tooManyCalls`, `tooLarge`, `invalidArguments`, `storedTooMuch`, `diskAlmostFull`, `storeUnavailable`
   * before it is stored; then resolves. Specification 6.
   */
  run(machine: MachineRef, toolCall: ToolCall, options: CallOptions): Promise<Call>;
  get(userId: string, requestId: string): Promise<Call>;
  /** Stops an open call; one that has ended stays as it is. Returns the call as it then is. */
  cancel(userId: string, requestId: string): Promise<Call>;
  /** Stops all open calls that came through one token or client, and withdraws their questions. */
  cancelOf(userId: string, maker: CallMaker): Promise<void>;
  onChanged(userId: string, listener: (event: CallEvent) => void): () => void;
  /** The last message and the newest output of each open call, for a new subscriber. */
  liveOutputs(userId: string): CallEvent[];
}

/** `duplicate`: the same answer was accepted before. */
export type AnswerReply = { ok: true; duplicate?: true };

/** Calls as their daemons see them. */
export interface DaemonCalls {
  answer(from: Sender, requestId: string, body: ResponseBody): Promise<AnswerReply>;
  /** Where the post says where its output begins, the reply says how far the output is here. */
  progress(from: Sender, requestId: string, body: ProgressBody): Promise<ProgressReply>;
}

export interface CallsNeeds {
  clock: Clock;
  limits: GatewayLimits;
  store: CallsStore;
  registry: Pick<Registry, 'connected'>;
  settings: Pick<GatewaySettings, 'requireEnabled'>;
  openCalls: OpenCalls;
  confirmations: DaemonQuestions;
  liveOutputs: LiveOutputs;
  bus: Bus;
  budget: StoringBudget;
  /** Whether the disk of the store is almost full. */
  isDiskLow(): boolean;
  onError(error: unknown): void;
}

/**
 * Begins with its time: ids of one moment lie together in the store's index, so that writing them down
 * touches one page of it.
 */
export const newRequestId = (at: number): string => at.toString(36).padStart(9, '0') + nanoid(22);

const duplicate: AnswerReply = { ok: true, duplicate: true };

/** Only a door that knows the client may speak for it. */
const withClientInput = (
  tool: Tool,
  args: Record<string, unknown>,
  clientInput: ClientInput | undefined,
): Record<string, unknown> => {
  if (tool.annotations?.[asksClientAnnotation] !== true) return args;
  const { [inputArgument]: _input, ...own } = args;
  return clientInput ? { ...own, [inputArgument]: clientInput } : own;
};

const publishCall = (bus: Bus, userId: string, event: CallEvent) =>
  bus.publish(`user:${userId}`, { type: 'call-changed', userId, event });

/** Publishes the state of a call, where somebody watches that user. */
export const publishCallState = (bus: Bus, record: CallRecord): void => {
  if (bus.count(`user:${record.userId}`) > 0)
    publishCall(bus, record.userId, { type: 'call', call: toSummary(record) });
};

export const createCalls = (needs: CallsNeeds): Calls & DaemonCalls => {
  const {
    clock,
    limits,
    store,
    registry,
    settings,
    openCalls,
    confirmations,
    liveOutputs,
    bus,
    budget,
    onError,
  } = needs;

  const newRecord = (
    maker: { userId: string; machine: Machine },
    toolCall: ToolCall,
    options: CallOptions,
  ): CallRecord => {
    const createdAt = clock.now();
    return {
      requestId: options.claim?.requestId ?? newRequestId(createdAt),
      userId: maker.userId,
      machineId: maker.machine.id,
      tool: toolCall.name,
      subject: subjectOf(toolCall.arguments),
      arguments: toolCall.arguments,
      door: options.door,
      via: options.via ?? null,
      state: 'pending',
      result: null,
      error: null,
      started: null,
      decision: null,
      decidedBy: null,
      denialReason: null,
      confirmationId: null,
      epoch: null,
      answerDigest: null,
      endsAt: createdAt + limits.callMaxMs,
      rev: 0,
      createdAt,
      deliveredAt: null,
      endedAt: null,
    };
  };

  /** One token cannot use all of the user's calls. */
  const refuseTooMany = (caller: { userId: string; via: CallVia | null }) => {
    const isFull =
      openCalls.count({ userId: caller.userId }) >= limits.maxOpenCalls ||
      (caller.via !== null && openCalls.count(caller) >= limits.maxOpenCallsOfOne);
    if (isFull) throw errors.tooManyCalls();
  };

  const stop = async (requestId: string, reason: 'user' | 'caller') => {
    const call = await openCalls.open(requestId);
    return call && openCalls.inTurn(call, (step) => step({ type: 'cancelled', reason }));
  };

  const run: Calls['run'] = async (ref, toolCall, options) => {
    const { userId } = ref;
    await settings.requireEnabled(userId);
    const maker = { userId, machine: await registry.connected(ref, options.reach) };
    const { signal, until } = options;
    if (signal?.aborted === true) throw errors.cancelled();
    const tool = maker.machine.info.toolList.tools.get(toolCall.name);
    if (!tool) throw errors.unknownTool();
    const given = withoutConfirmation(toolCall.arguments);
    const args = withClientInput(tool, given, options.clientInput);
    const bytes = Buffer.byteLength(JSON.stringify(args));
    if (bytes > limits.argumentsMaxBytes)
      throw errors.tooLarge({ message: 'The arguments of the call are too large' });
    requireArguments(tool, given);
    const caller = { userId: maker.userId, via: options.via ?? null };
    refuseTooMany(caller);
    budget.require(caller, bytes);
    if (needs.isDiskLow()) throw errors.diskAlmostFull();
    // Before it has an id; the statement that stores a call refuses it as well, also on another server.
    if (maker.machine.info.pausedAt !== null) throw errors.machinePaused();
    const record = newRecord(maker, { ...toolCall, arguments: args }, options);
    budget.count(caller, bytes);
    options.onOpened?.(record.requestId);
    const abort = () => void stop(record.requestId, 'caller').catch(onError);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return toCall(
        await new Promise<CallRecord>((resolve, reject) => {
          const claimKey = options.claim?.key ?? null;
          openCalls.add({ record, claimKey }, { until, resolve, reject }).catch(reject);
        }),
      );
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  };

  /** An answer to a call that has ended. */
  const lateAnswer = async (from: Sender, requestId: string, answer: Answer): Promise<AnswerReply> => {
    const record = await store.byId(requestId);
    if (record?.machineId !== from.machine.id || record.endedAt === null) throw errors.notFound();
    if (record.answerDigest === answer.digest) return duplicate;
    if (record.answerDigest !== null) throw errors.conflictingResult();
    if (from.epoch < from.machine.info.epoch) throw errors.notFound();
    // The daemon was told to stop and now reports the outcome.
    const wasTold = record.state === 'cancelled' || record.state === 'timed-out' || record.state === 'denied';
    if (!wasTold) throw errors.notFound();
    const started = answer.kind === 'end' ? answer.started : false;
    await store.report(requestId, { answerDigest: answer.digest, started });
    publishCallState(bus, { ...record, answerDigest: answer.digest, started });
    return { ok: true };
  };

  /** Whether the call was delivered to the daemon of that epoch, or to one that it resumes from. */
  const isGivenTo = ({ data: { record } }: OpenCall, { machine, epoch }: Sender) =>
    record.machineId === machine.id && record.epoch !== null && epoch >= record.epoch;

  const answerInTurn = async (
    call: OpenCall,
    { answer, from }: { answer: Answer; from: Sender },
    step: Step,
  ): Promise<boolean> => {
    if (answer.kind === 'question') {
      if (from.epoch >= from.machine.info.resumesFrom) return confirmations.ask(call, answer, step);
      // The daemon that asks can no longer receive the answer.
      return step({ type: 'disconnected', explicit: true });
    }
    if (await step({ type: 'answered', answer })) return true;
    throw errors.notFound();
  };

  const own = (record: CallRecord | undefined, userId: string): CallRecord => {
    if (record?.userId !== userId) throw errors.notFound();
    return record;
  };

  const get = async (userId: string, requestId: string) =>
    toCall(own(openCalls.find(requestId)?.data.record ?? (await store.byId(requestId)), userId));

  return {
    run,
    answer: async (from, requestId, body) => {
      const answer = readAnswer(body);
      if (answer.bytes > limits.resultMaxBytes) throw errors.tooLarge();
      const call = await openCalls.open(requestId);
      if (call && isGivenTo(call, from)) budget.count(call.data.record, answer.bytes);
      if (!call) return lateAnswer(from, requestId, answer);
      return openCalls.inTurn(call, async (step) => {
        if (call.data.state.kind === 'ended') return lateAnswer(from, requestId, answer);
        if (!isGivenTo(call, from)) throw errors.notFound();
        return (await answerInTurn(call, { answer, from }, step)) ? { ok: true } : duplicate;
      });
    },
    progress: async (from, requestId, body) => {
      const call = await openCalls.open(requestId);
      if (!call || !isGivenTo(call, from)) throw errors.notFound();
      await openCalls.inTurn(call, (step) => step({ type: 'progressed', at: clock.now() }));
      if (call.data.state.kind === 'ended') throw errors.notFound();
      const { event, ...received } = liveOutputs.append(call.data.record, body);
      publishCall(bus, call.data.record.userId, event);
      return { ok: true, ...received };
    },
    get,
    cancel: async (userId, requestId) => {
      await get(userId, requestId);
      await stop(requestId, 'user');
      return get(userId, requestId);
    },
    cancelOf: async (userId, { kind, id }) => {
      const made = openCalls
        .of(userId)
        .filter(({ data }) => data.record.via?.kind === kind && data.record.via.id === id);
      await Promise.all(made.map(({ data }) => stop(data.record.requestId, 'user')));
    },
    onChanged: (userId, listener) =>
      bus.subscribe(`user:${userId}`, (message) => {
        if (message.type === 'call-changed') listener(message.event);
      }).stop,
    liveOutputs: liveOutputs.of,
  };
};
