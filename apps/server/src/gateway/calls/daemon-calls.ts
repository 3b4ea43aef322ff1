import type { ProgressReply } from '@drawbridge/contracts/daemon-reply';
import type { ProgressBody, ResponseBody } from '@drawbridge/contracts/daemon-surface';
import { errors } from '../../errors.ts';
import type { Machine } from '../machines/registry.ts';
import { readAnswer, type Answer } from './transition/answer.ts';
import { askInTurn } from './ask.ts';
import { openBelow } from './open-below.ts';
import type { OpenCall } from './runner/held-calls.ts';
import { publishCall, publishCallState, stoppedStates } from './call.ts';
import type { CallsContext } from './calls.ts';
import type { SharedOutputs } from './shared-outputs.ts';
import type { Step } from './runner/runner.ts';

/** The daemon that reports on a call: its machine and its epoch. */
export interface Sender {
  machine: Machine;
  epoch: number;
}

/** `duplicate`: the same answer was accepted before. */
export type AnswerReply = { ok: true; duplicate?: true };

/** Calls as their daemons see them. */
export interface DaemonCalls {
  answer(from: Sender, requestId: string, body: ResponseBody): Promise<AnswerReply>;
  /** Where the post says where its output begins, the reply says how far the output is here. */
  progress(from: Sender, requestId: string, body: ProgressBody): Promise<ProgressReply>;
}

const duplicate: AnswerReply = { ok: true, duplicate: true };

/** An answer to a call that has ended. */
const lateAnswer = async (
  { store, bus }: CallsContext,
  { from, requestId }: { from: Sender; requestId: string },
  answer: Answer,
): Promise<AnswerReply> => {
  const record = await store.byId(requestId);
  if (record?.machineId !== from.machine.id || record.endedAt === null) throw errors.notFound();
  if (record.answerDigest === answer.digest) return duplicate;
  if (record.answerDigest !== null) throw errors.conflictingResult();
  if (from.epoch < from.machine.info.epoch) throw errors.notFound();
  // The daemon got the request to stop and now reports the outcome.
  const wasTold = stoppedStates.some((stopped) => stopped === record.state);
  if (!wasTold) throw errors.notFound();
  const started = answer.kind === 'end' ? answer.started : false;
  await store.report(requestId, { answerDigest: answer.digest, started });
  publishCallState(bus, { ...record, answerDigest: answer.digest, started, rev: record.rev + 1 });
  return { ok: true };
};

/**
 * Whether the call was delivered to the daemon of that epoch, or to one that it resumes from. A daemon that
 * has made a new init may not have its epoch yet.
 */
const isGivenTo = ({ data: { record } }: OpenCall, { machine: { id, info }, epoch }: Sender) =>
  record.machineId === id &&
  record.epoch !== null &&
  (epoch >= record.epoch || (record.epoch <= info.epoch && epoch >= info.resumesFrom));

/** Part of the call's turn. Another server may have delivered it: then the row says so. */
const requireGiven = async ({ openCalls }: CallsContext, call: OpenCall, from: Sender): Promise<void> => {
  if (isGivenTo(call, from)) return;
  if (call.data.record.machineId === from.machine.id) await openCalls.reload(call);
  if (!isGivenTo(call, from)) throw errors.notFound();
};

const answerInTurn = async (
  ctx: CallsContext,
  { call, from, step }: { call: OpenCall; from: Sender; step: Step },
  answer: Answer,
): Promise<boolean> => {
  if (answer.kind === 'question') {
    const { epoch } = from;
    if (epoch >= from.machine.info.resumesFrom) return askInTurn(ctx, { call, epoch, step }, answer);
    // The daemon that asks can no longer receive the answer.
    return step({ type: 'disconnected', why: 'ended' });
  }
  if (await step({ type: 'answered', answer })) return true;
  throw errors.notFound();
};

const takeAnswer = async (
  ctx: CallsContext,
  sent: { from: Sender; requestId: string },
  body: ResponseBody,
): Promise<AnswerReply> => {
  const { from, requestId } = sent;
  const answer = readAnswer(body, from.machine.info.daemon?.features ?? []);
  if (answer.bytes > ctx.limits.resultMaxBytes) throw errors.tooLarge();
  const call = await ctx.openCalls.open(requestId);
  if (!call) return lateAnswer(ctx, sent, answer);
  if (isGivenTo(call, from)) ctx.budget.count(call.data.record, answer.bytes);
  return ctx.openCalls.inTurn(call, async (step) => {
    if (call.data.state.kind !== 'ended') await requireGiven(ctx, call, from);
    if (call.data.state.kind === 'ended') return lateAnswer(ctx, sent, answer);
    return (await answerInTurn(ctx, { call, from, step }, answer)) ? { ok: true } : duplicate;
  });
};

interface ProgressContext extends CallsContext, Pick<SharedOutputs, 'passOn'> {}

const takeProgress = async (
  ctx: ProgressContext,
  { from, requestId }: { from: Sender; requestId: string },
  body: ProgressBody,
): Promise<ProgressReply> => {
  const { openCalls, clock, liveOutputs, turnEvents, bus, passOn } = ctx;
  const call = await openCalls.open(requestId);
  if (!call) throw errors.notFound();
  await openCalls.inTurn(call, async (step) => {
    await requireGiven(ctx, call, from);
    await step({ type: 'progressed', at: clock.now() });
  });
  if (call.data.state.kind === 'ended') throw errors.notFound();
  const { actions, turn, forms, ...reported } = body;
  // Stored first: a question of an action finds the action.
  const stored = await turnEvents.report(call.data.record, { turn, forms });
  if (actions) await openBelow(ctx, { machine: from.machine, turn: call.data.record }, actions);
  const { connection } = from.machine;
  if (connection.kind === 'elsewhere') {
    passOn(connection.serverId, requestId, reported);
    return { ok: true, ...stored };
  }
  const { event, ...received } = liveOutputs.append(call.data.record, reported);
  publishCall(bus, call.data.record.userId, event);
  return { ok: true, ...received, ...stored };
};

export const createDaemonCalls = (ctx: ProgressContext): DaemonCalls => ({
  answer: (from, requestId, body) => takeAnswer(ctx, { from, requestId }, body),
  progress: (from, requestId, body) => takeProgress(ctx, { from, requestId }, body),
});
