import type { CallError } from '@drawbridge/contracts/calls';
import { errorTable } from '@drawbridge/contracts/errors';
import type { ConfirmationAnswerRecord, NewConfirmation } from '../store/confirmation-row.ts';
import type { Answer } from './answer.ts';
import type { CallRecord } from '../call.ts';
import {
  dueAt,
  nextState,
  type CallEffect,
  type CallMachineEvent,
  type CallMachineState,
  type OpenCallState,
} from './call-state.ts';
import { limitsOf, type SilenceLimits } from './call-limits.ts';
import type { CallWrite } from '../store/call-write.ts';
import type { ToolResult } from '@drawbridge/contracts/tool-result';

const sentence = (reason: string) => `The person gave a reason: ${reason}`;

/** A denied call's end with the person's reason, so that the caller reads it at every door. */
const withReason = <End extends { result: ToolResult | null; error: CallError | null }>(
  end: End,
  reason: string,
): End => {
  const { result, error } = end;
  const text = { type: 'text', text: sentence(reason) } as const;
  return {
    ...end,
    result: result && { ...result, content: [...result.content, text] },
    error: error && { ...error, message: `${error.message}. ${sentence(reason)}` },
  };
};

/** A call that has not ended, with what its frame says of the person's decision. */
export interface CallData {
  record: CallRecord;
  state: CallMachineState;
  /** Digests of stored questions that name themselves (`askId`): a repeat of one is no new question. */
  asked: ReadonlySet<string>;
  /** The question that the call's decision answers, and how far the decision reaches. */
  answered: { askId: string | null; reach: string | null };
}

/** What happens to a call, with all that is to be stored of it. */
export type CallEvent =
  | Exclude<CallMachineEvent, { type: 'asked' | 'answered' | 'decided' | 'refused' }>
  /** `epoch`: of the daemon that asks. */
  | { type: 'asked'; at: number; epoch: number; confirmation: NewConfirmation }
  | { type: 'answered'; answer: Answer & { kind: 'end' } }
  | { type: 'decided'; answer: ConfirmationAnswerRecord & { askId: string | null } };

/** One transition. `writes` are one transaction; the effects follow once it is stored. */
export interface Transition {
  data: CallData;
  writes: CallWrite[];
  effects: CallEffect[];
  /** Whether users see the call in another state. */
  changed: boolean;
}

export interface TransitionContext {
  now: number;
  /** The machine's present epoch; null if the machine is not known. */
  epoch: number | null;
  limits: SilenceLimits;
  /** The machine has answered, and the store could not be written. */
  isUnstored?: boolean;
}

const unstored = 'The machine has answered, but the server could not write the answer to its store in time';

const toMachineEvent = (event: CallEvent): CallMachineEvent => {
  switch (event.type) {
    case 'asked': {
      const { id, expiresAt } = event.confirmation;
      return { type: 'asked', at: event.at, confirmationId: id, expiresAt };
    }
    case 'answered':
      return { type: 'answered', end: event.answer.end, started: event.answer.started };
    case 'decided': {
      const { decision, at } = event.answer;
      return decision === null ? { type: 'refused', at } : { type: 'decided', at, decision };
    }
    default:
      return event;
  }
};

const errorOf = (
  state: CallMachineState & { kind: 'ended' },
  { event, context }: { event: CallEvent; context: TransitionContext },
): CallError | null => {
  if (state.error === 'timedOut' && context.isUnstored)
    return { code: errorTable.storeUnavailable.code, message: unstored };
  if (state.error === null) return event.type === 'answered' ? event.answer.error : null;
  const { code, message: plain } = errorTable[state.error];
  const message = (event.type === 'cancelled' && event.message) || plain;
  return { code, message };
};

const openRecord = (
  before: CallRecord,
  state: OpenCallState,
  { now, epoch }: TransitionContext,
): CallRecord => {
  switch (state.kind) {
    case 'pending':
      return {
        ...before,
        state: 'pending',
        confirmationId: null,
        endsAt: state.endsAt,
        epoch: state.delivered ? before.epoch : null,
        deliveredAt: state.delivered ? before.deliveredAt : null,
      };
    case 'delivered':
      return {
        ...before,
        state: 'delivered',
        epoch: before.epoch ?? epoch,
        deliveredAt: before.deliveredAt ?? now,
      };
    case 'awaiting-confirmation':
      return {
        ...before,
        state: 'awaiting-confirmation',
        confirmationId: state.confirmationId,
        ruling: 'asked',
        decision: null,
        decidedBy: null,
        denialReason: null,
      };
    default:
      return state satisfies never;
  }
};

/** The record of the call in `state`. */
const nextRecord = (
  call: CallRecord,
  state: CallMachineState,
  { event, context }: { event: CallEvent; context: TransitionContext },
): CallRecord => {
  const before: CallRecord = {
    ...call,
    rev: call.rev + 1,
    ...(event.type === 'decided' && {
      decision: event.answer.decision,
      decidedBy: event.answer.decidedBy,
      denialReason: event.answer.reason,
    }),
  };
  if (state.kind !== 'ended') return openRecord(before, state, context);
  const answer = event.type === 'answered' ? event.answer : null;
  const ended: CallRecord = {
    ...before,
    state: state.end,
    started: state.started,
    ruling: before.ruling ?? answer?.ruling ?? null,
    error: errorOf(state, { event, context }),
    result: answer?.result ?? null,
    answerDigest: answer?.digest ?? null,
    confirmationId: null,
    endedAt: context.now,
  };
  const { denialReason } = ended;
  return state.end === 'denied' && denialReason !== null ? withReason(ended, denialReason) : ended;
};

const writesOf = (
  record: CallRecord,
  { event, state, now }: { event: CallEvent; state: CallMachineState; now: number },
): CallWrite[] => {
  const isAsSent = event.type === 'answered' && event.answer.result === record.result;
  const resultText = isAsSent ? event.answer.resultText : null;
  const until = state.kind === 'ended' ? now : dueAt(state);
  const update: CallWrite = { type: 'update-call', record, resultText, dueAt: until };
  if (event.type === 'asked')
    return [{ type: 'open-confirmation', confirmation: event.confirmation, record }, update];
  if (event.type === 'decided') return [{ type: 'answer-confirmation', answer: event.answer }, update];
  return [update];
};

const closingWrites = (record: CallRecord, effects: readonly CallEffect[], at: number): CallWrite[] =>
  effects.flatMap((effect) =>
    effect.type === 'close-confirmation' && record.confirmationId !== null
      ? [{ type: 'close-confirmation', id: record.confirmationId, as: effect.as, at }]
      : [],
  );

/**
 * The next state of a call with its writes and effects; null if the event changes nothing. Pure.
 * Specification 6.
 */
export const nextCall = (call: CallData, event: CallEvent, context: TransitionContext): Transition | null => {
  // Another server may have stored it meanwhile, and its answer.
  if (event.type === 'asked' && call.asked.has(event.confirmation.digest)) return null;
  const { state, effects } = nextState(
    call.state,
    toMachineEvent(event),
    limitsOf(call.record, context.limits),
  );
  if (state === call.state) return null;
  const changed = state.kind !== call.state.kind;
  // A later deadline is not stored.
  if (!changed) return { data: { ...call, state }, writes: [], effects, changed };
  const record = nextRecord(call.record, state, { event, context });
  const asked =
    event.type === 'asked' && event.confirmation.question.askId !== null
      ? new Set([...call.asked, event.confirmation.digest])
      : call.asked;
  const answered =
    event.type === 'decided' ? { askId: event.answer.askId, reach: event.answer.reach } : call.answered;
  return {
    data: { record, state, asked, answered },
    writes: [
      ...writesOf(record, { event, state, now: context.now }),
      ...closingWrites(call.record, effects, context.now),
    ],
    effects,
    changed,
  };
};
