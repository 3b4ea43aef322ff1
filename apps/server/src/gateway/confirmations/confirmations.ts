import type {
  Confirmation,
  AnswerPlace,
  ConfirmationAnswer,
  ConfirmationEvent,
  DecideReply,
} from '@drawbridge/contracts/confirmation';
import type { SettledBody } from '@drawbridge/contracts/daemon-surface';
import { errorTable } from '@drawbridge/contracts/errors';
import { CodedError, type Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import type { CallRecord } from '../calls/call.ts';
import {
  toConfirmation,
  type ConfirmationAnswerRecord,
  type NewConfirmation,
  type StoredConfirmation,
} from '../calls/store/confirmation-row.ts';
import type { ConfirmationsStore } from '../calls/store/confirmations.store.ts';
import { watchTopic, type Bus, type Subscription } from '../bus.ts';
import { decisionOf, reachOf } from './decision.ts';
import type { OpenCall } from '../calls/runner/held-calls.ts';
import type { OpenCalls } from '../calls/runner/open-calls.ts';
import type { Step } from '../calls/runner/runner.ts';

/** Names a confirmation by its own id or by the call that it asks about (`POST confirm/:requestId`). */
export type ConfirmationKey = { confirmationId: string } | { requestId: string };

/**
 * Questions to users about their calls: asked, answered once, or closed without an answer. Specification 6.2.
 */
export interface Confirmations {
  /** One of the user's, as it is now; a closed one says how it was closed. */
  get(userId: string, confirmationId: string): Promise<Confirmation>;
  /** Every question about a call of the user, oldest first. */
  ofCall(userId: string, requestId: string): Promise<Confirmation[]>;
  /** The open ones, oldest first. */
  list(userId: string): Promise<Confirmation[]>;
  /**
   * Answers once, durably; an offline machine gets the decision on reconnect. Throws `alreadyDecided`,
   * `confirmationClosed`, or, with the question still open, `decisionNotOffered` and `badRequest`. Spec. 6.2.
   */
  decide(
    userId: string,
    key: ConfirmationKey,
    answer: ConfirmationAnswer,
    via?: AnswerPlace | null,
  ): Promise<DecideReply>;
  /** A closed one never opens again, whatever comes late. `onGap`: events may be missing. */
  onChanged(userId: string, listener: (event: ConfirmationEvent) => void, onGap?: () => void): Subscription;
}

/** Questions that a daemon's rule has answered. */
export interface SettledQuestions {
  /**
   * Decides open questions that a daemon's rule covers, each once and as the user would; returns how many.
   * The daemon gets the decision and runs or denies the call.
   */
  settle(machineId: string, body: SettledBody): Promise<number>;
}

interface Asked {
  stored: StoredConfirmation;
  call: OpenCall;
}

/** A question that a rule has answered, and the id of the confirmation that created the rule. */
interface Settled {
  question: SettledBody['questions'][number];
  by: string;
}

export interface ConfirmationsNeeds {
  clock: Clock;
  store: ConfirmationsStore;
  openCalls: OpenCalls;
  bus: Bus;
  onError(error: unknown): void;
}

const closed = ({ shown }: StoredConfirmation) => {
  if (shown.state !== 'decided') return errors.confirmationClosed();
  const winner = shown.decision ?? (shown.approved === true ? 'approved' : 'denied');
  return errors.alreadyDecided({ message: `This confirmation has been answered already: ${winner}` });
};

const closedCodes: string[] = [errorTable.alreadyDecided.code, errorTable.confirmationClosed.code];
const isClosed = (error: unknown) => error instanceof CodedError && closedCodes.includes(error.code);

const publish = (bus: Bus, userId: string, confirmation: Confirmation) =>
  bus.publish(`user:${userId}`, {
    type: 'confirmation-changed',
    userId,
    event: { type: 'confirmation', confirmation },
  });

/** Publishes a question that was just stored. */
export const publishAsked = (bus: Bus, record: CallRecord, confirmation: NewConfirmation): void =>
  publish(bus, record.userId, toConfirmation(confirmation, record));

/** Reads a confirmation and publishes it as it is now. */
export const publishConfirmation = async (
  { store, bus, onError }: Pick<ConfirmationsNeeds, 'store' | 'bus' | 'onError'>,
  confirmationId: string,
): Promise<void> => {
  try {
    const stored = await store.byId(confirmationId);
    if (stored) publish(bus, stored.userId, stored.shown);
  } catch (error) {
    onError(error);
  }
};

const closedNow = async ({ store }: ConfirmationsNeeds, stored: StoredConfirmation) =>
  closed((await store.byId(stored.shown.id)) ?? stored);

const find = async (
  { store }: ConfirmationsNeeds,
  userId: string,
  key: ConfirmationKey,
): Promise<StoredConfirmation> => {
  const stored =
    'confirmationId' in key
      ? await store.byId(key.confirmationId)
      : (await store.ofCall(key.requestId)).at(-1);
  if (stored?.userId !== userId) throw errors.notFound();
  return stored;
};

/**
 * Part of the call's turn. Throws `alreadyDecided` or `confirmationClosed` where another answer came first.
 */
const answerInTurn = async (
  needs: ConfirmationsNeeds,
  { stored, call }: Asked,
  decided: Omit<ConfirmationAnswerRecord, 'id' | 'decidedBy' | 'at'>,
  step: Step,
): Promise<void> => {
  const { askId, userId, shown } = stored;
  const at = needs.clock.now();
  // Closed for good, so that a clock that steps back does not open it again.
  if (await step({ type: 'due', at })) throw errors.confirmationClosed();
  if (call.data.record.confirmationId !== shown.id) throw await closedNow(needs, stored);
  const answer = { ...decided, askId, id: shown.id, decidedBy: userId, at };
  if (!(await step({ type: 'decided', answer }))) throw await closedNow(needs, stored);
};

const decideInTurn = async (
  needs: ConfirmationsNeeds,
  asked: Asked,
  { answer, via }: { answer: ConfirmationAnswer; via: AnswerPlace | null },
  step: Step,
): Promise<DecideReply> => {
  const { stored, call } = asked;
  const { id, options, reaches } = stored.shown;
  // Another server has stored the question, and no message of it has come yet.
  if (call.data.record.confirmationId !== id) await needs.openCalls.reload(call);
  if (call.data.record.confirmationId !== id) throw await closedNow(needs, stored);
  const decision = decisionOf(answer, options);
  const reach = reachOf(answer, decision, reaches);
  const { approved, reason = null } = answer;
  const decided = { approved, decision, reach, reason, decidedVia: via, settledBy: null };
  await answerInTurn(needs, asked, decided, step);
  return { confirmationId: id, state: 'decided', approved, decision };
};

/** The confirmation whose answer made the rule, as far as it was one of this machine and was answered. */
const settledBy = async (
  { store }: ConfirmationsNeeds,
  machineId: string,
  by: string | undefined,
): Promise<string> => {
  const stored = by === undefined ? undefined : (await store.ofCall(by)).at(-1);
  const counts = stored?.shown.machineId === machineId && stored.shown.state === 'decided';
  return counts ? stored.shown.id : 'rule';
};

const settleInTurn = async (
  needs: ConfirmationsNeeds,
  call: OpenCall,
  { question, by }: Settled,
  step: Step,
): Promise<boolean> => {
  const { confirmationId } = call.data.record;
  const stored = confirmationId === null ? undefined : await needs.store.byId(confirmationId);
  const decision = question.outcome === 'allowed' ? 'allowOnce' : 'denyOnce';
  if (stored?.askId !== question.askId || !stored.shown.options.includes(decision)) return false;
  const approved = question.outcome === 'allowed';
  const answer = { approved, decision, reach: null, reason: null, decidedVia: null, settledBy: by } as const;
  await answerInTurn(needs, { stored, call }, answer, step);
  return true;
};

const settleOne = async (
  needs: ConfirmationsNeeds,
  machineId: string,
  settled: Settled,
): Promise<boolean> => {
  const { openCalls } = needs;
  const call = await openCalls.open(settled.question.requestId);
  if (call?.data.record.machineId !== machineId) return false;
  try {
    return await openCalls.inTurn(call, (step) => settleInTurn(needs, call, settled, step));
  } catch (error) {
    // Another answer settled it first.
    if (isClosed(error)) return false;
    throw error;
  }
};

export const createConfirmations = (needs: ConfirmationsNeeds): Confirmations & SettledQuestions => {
  const { store, openCalls, bus } = needs;
  return {
    get: async (userId, confirmationId) => (await find(needs, userId, { confirmationId })).shown,
    ofCall: async (userId, requestId) =>
      (await store.ofCall(requestId)).flatMap((asked) => (asked?.userId === userId ? [asked.shown] : [])),
    list: async (userId) => (await store.open(userId)).map((confirmation) => confirmation.shown),
    onChanged: (userId, listener, onGap = () => {}) =>
      watchTopic(
        bus,
        { topic: `user:${userId}`, type: 'confirmation-changed' },
        ({ event }) => listener(event),
        onGap,
      ),
    decide: async (userId, key, answer, via = null) => {
      const stored = await find(needs, userId, key);
      const call = await openCalls.open(stored.shown.requestId);
      if (stored.shown.state !== 'open' || !call) throw closed(stored);
      return openCalls.inTurn(call, (step) => decideInTurn(needs, { stored, call }, { answer, via }, step));
    },
    settle: async (machineId, { by, questions }) => {
      const cause = await settledBy(needs, machineId, by);
      let count = 0;
      for (const question of questions)
        if (await settleOne(needs, machineId, { question, by: cause })) count += 1;
      return count;
    },
  };
};
