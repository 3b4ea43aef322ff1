import {
  asksClientAnnotation,
  confirmationArgument,
  inputArgument,
  type Call,
  type CallPage,
  type CallVia,
  type ClientInput,
  type ListCallsInput,
  type ProgressBody,
  type ProgressReply,
  type ResponseBody,
  type Tool,
  type ToolCall,
} from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { errors } from '../errors.ts';
import { readAnswer, type Answer } from './answer.ts';
import { toCall, toSummary, type CallRecord } from './call-record.ts';
import { cursorOf, isCursor, type CallsStore } from './calls.store.ts';
import type { Confirmations } from './confirmations.ts';
import type { AnswerReply, CallMaker, CallOptions } from './gateway.ts';
import type { GatewayLimits } from './limits.ts';
import type { OpenCall, OpenCalls, Step } from './open-calls.ts';
import type { Machine } from './registry.ts';

/** A daemon that says something of a call: its machine, and the epoch in which it lives. */
export interface Sender {
  machine: Machine;
  epoch: number;
}

/** Calls as their makers and their daemons see them. Specification 6. */
export interface Calls {
  /** Runs a tool on a connected machine; resolves as `until` says. */
  run(maker: { userId: string; machine: Machine }, toolCall: ToolCall, options: CallOptions): Promise<Call>;
  /** Takes a daemon's answer. */
  answer(from: Sender, requestId: string, body: ResponseBody): Promise<AnswerReply>;
  /** Takes what a daemon says of an open call. */
  progress(from: Sender, requestId: string, body: ProgressBody): Promise<ProgressReply>;
  get(userId: string, requestId: string): Promise<Call>;
  list(userId: string, input: ListCallsInput, via?: CallVia): Promise<CallPage>;
  cancel(userId: string, requestId: string): Promise<Call>;
  cancelOf(userId: string, maker: CallMaker): Promise<void>;
}

export interface CallsNeeds {
  clock: Clock;
  limits: GatewayLimits;
  store: CallsStore;
  openCalls: OpenCalls;
  confirmations: Confirmations;
  onProgress(record: CallRecord, body: ProgressBody): ProgressReply;
  onError(error: unknown): void;
}

/** Begins with its time: ids of one moment lie together in the store's index, so that writing them down touches one page of it. */
export const newRequestId = (at: number): string => at.toString(36).padStart(9, '0') + nanoid(22);

const duplicate: AnswerReply = { ok: true, duplicate: true };

/** Only a door that knows the client may speak for it. */
const withClientInput = (
  tool: Tool,
  given: Record<string, unknown>,
  clientInput: ClientInput | undefined,
): Record<string, unknown> => {
  if (tool.annotations?.[asksClientAnnotation] !== true) return given;
  const { [inputArgument]: _input, ...own } = given;
  return clientInput ? { ...own, [inputArgument]: clientInput } : own;
};

/** Only a person's answer to a confirmation may put a decision on the wire. */
export const withoutDecision = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([name]) => name !== confirmationArgument));

export const createCalls = (needs: CallsNeeds): Calls => {
  const { clock, limits, store, openCalls, confirmations, onError } = needs;

  const newRecord = (
    maker: { userId: string; machine: Machine },
    toolCall: ToolCall,
    options: CallOptions,
  ): CallRecord => {
    const createdAt = clock.now();
    return {
      requestId: options.requestId ?? newRequestId(createdAt),
      userId: maker.userId,
      machineId: maker.machine.id,
      tool: toolCall.name,
      arguments: toolCall.arguments,
      door: options.door,
      via: options.via ?? null,
      state: 'pending',
      result: null,
      error: null,
      started: null,
      decision: null,
      decidedBy: null,
      confirmationId: null,
      epoch: null,
      answerDigest: null,
      endsAt: createdAt + limits.callMaxMs,
      createdAt,
      deliveredAt: null,
      endedAt: null,
    };
  };

  /** One token leaves room for the person and for others. */
  const refuseTooMany = (caller: { userId: string; via: CallVia | null }) => {
    const isFull =
      openCalls.count({ userId: caller.userId }) >= limits.maxOpenCalls ||
      (caller.via !== null && openCalls.count(caller) >= limits.maxOpenCallsOfOne);
    if (isFull) throw errors.tooManyCalls();
  };

  const stop = (requestId: string, reason: 'user' | 'caller') => {
    const call = openCalls.find(requestId);
    return call && openCalls.inTurn(call, (step) => step({ type: 'cancelled', reason }));
  };

  const run: Calls['run'] = async (maker, toolCall, options) => {
    const { signal, until } = options;
    if (signal?.aborted === true) throw errors.cancelled();
    const tool = maker.machine.info.toolList.tools.get(toolCall.name);
    if (!tool) throw errors.unknownTool();
    const given = withClientInput(tool, withoutDecision(toolCall.arguments), options.clientInput);
    if (Buffer.byteLength(JSON.stringify(given)) > limits.argumentsMaxBytes)
      throw errors.tooLarge({ message: 'The arguments of the call are too large' });
    refuseTooMany({ userId: maker.userId, via: options.via ?? null });
    const record = newRecord(maker, { ...toolCall, arguments: given }, options);
    options.onOpened?.(record.requestId);
    const abort = () => void stop(record.requestId, 'caller')?.catch(onError);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return toCall(
        await new Promise<CallRecord>((resolve, reject) => {
          openCalls.add(record, { until, resolve, reject }).catch(reject);
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
    // The daemon was told to stop, and says what came of it.
    if (record.state !== 'cancelled' && record.state !== 'timed-out') throw errors.notFound();
    const started = answer.kind === 'end' ? answer.started : false;
    await store.report(requestId, { answerDigest: answer.digest, started });
    return { ok: true };
  };

  /** Whether the call was given to the daemon of that epoch, or to one whose work it goes on with. */
  const isGivenTo = (call: OpenCall, { machine, epoch }: Sender) =>
    call.record.machineId === machine.id && call.record.epoch !== null && epoch >= call.record.epoch;

  const answerInTurn = async (
    call: OpenCall,
    { answer, from }: { answer: Answer; from: Sender },
    step: Step,
  ): Promise<boolean> => {
    if (answer.kind === 'question') {
      if (from.epoch >= from.machine.info.resumesFrom) return confirmations.ask(call, answer, step);
      // The daemon that asks cannot be told the answer any more.
      return step({ type: 'disconnected', explicit: true });
    }
    const { end, started, result, resultText, error, digest } = answer;
    const brought = { result, resultText, error, answerDigest: digest };
    if (await step({ type: 'answered', end, started }, brought)) return true;
    throw errors.notFound();
  };

  const own = (record: CallRecord | undefined, userId: string): CallRecord => {
    if (record?.userId !== userId) throw errors.notFound();
    return record;
  };

  const get = async (userId: string, requestId: string) =>
    toCall(own(openCalls.find(requestId)?.record ?? (await store.byId(requestId)), userId));

  return {
    run,
    answer: async (from, requestId, body) => {
      const answer = readAnswer(body);
      if (answer.bytes > limits.resultMaxBytes) throw errors.tooLarge();
      const call = openCalls.find(requestId);
      if (!call) return lateAnswer(from, requestId, answer);
      return openCalls.inTurn(call, async (step) => {
        if (call.state.kind === 'ended') return lateAnswer(from, requestId, answer);
        if (!isGivenTo(call, from)) throw errors.notFound();
        return (await answerInTurn(call, { answer, from }, step)) ? { ok: true } : duplicate;
      });
    },
    progress: async (from, requestId, body) => {
      const call = openCalls.find(requestId);
      if (!call || !isGivenTo(call, from)) throw errors.notFound();
      await openCalls.inTurn(call, (step) => step({ type: 'progressed', at: clock.now() }));
      if (call.state.kind === 'ended') throw errors.notFound();
      return needs.onProgress(call.record, body);
    },
    get,
    list: async (userId, input, via) => {
      if (input.cursor !== undefined && !isCursor(input.cursor)) throw errors.badRequest();
      const found = await store.list({ userId, via }, input);
      const shown = found.slice(0, input.limit);
      const last = shown.at(-1);
      return {
        calls: shown.map(toSummary),
        nextCursor: found.length > input.limit && last ? cursorOf(last) : null,
      };
    },
    cancel: async (userId, requestId) => {
      await get(userId, requestId);
      await stop(requestId, 'user');
      return get(userId, requestId);
    },
    cancelOf: async (userId, { kind, id }) => {
      const made = openCalls.of(userId).filter(({ record: { via } }) => via?.kind === kind && via.id === id);
      await Promise.all(made.map(({ record }) => stop(record.requestId, 'user')));
    },
  };
};
