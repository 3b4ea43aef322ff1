import type {
  Confirmation,
  ConfirmationAnswer,
  ConfirmationPayload,
  DecideReply,
} from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { errors } from '../errors.ts';
import type { Answer } from './answer.ts';
import type { ConfirmationsStore, Question, StoredConfirmation } from './confirmations.store.ts';
import { decisionOf, knownOptions, knownReaches, reachOf } from './decision.ts';
import type { ConfirmationKey } from './gateway.ts';
import type { GatewayLimits } from './limits.ts';
import type { OpenCall, OpenCalls, Step } from './open-calls.ts';

/** Questions to users about their calls: asked, answered once, or closed without an answer. Specification 6.2. */
export interface Confirmations {
  /** Takes a daemon's question; false when the same question has been taken before. Part of the call's turn. */
  ask(call: OpenCall, question: Answer & { kind: 'question' }, step: Step): Promise<boolean>;
  get(userId: string, confirmationId: string): Promise<Confirmation>;
  list(userId: string): Promise<Confirmation[]>;
  decide(userId: string, key: ConfirmationKey, answer: ConfirmationAnswer): Promise<DecideReply>;
}

export interface ConfirmationsNeeds {
  clock: Clock;
  limits: GatewayLimits;
  store: ConfirmationsStore;
  openCalls: OpenCalls;
  /** Tells whoever watches what is asked. */
  onAsked(userId: string, confirmation: Confirmation): void;
  /** Tells whoever watches that the confirmation has changed. */
  onChanged(confirmationId: string): void;
}

const toQuestion = (payload: ConfirmationPayload): Question => {
  const { toolGroup, resource, description } = payload;
  return {
    toolGroup,
    resource,
    description,
    resources: payload.resources ?? [{ toolGroup, resource, description }],
    options: knownOptions(payload),
    preview: payload.preview ?? null,
    askId: payload.askId ?? null,
    reaches: knownReaches(payload),
  };
};

const closed = ({ shown }: StoredConfirmation) => {
  if (shown.state !== 'decided') return errors.confirmationClosed();
  const winner = shown.decision ?? (shown.approved === true ? 'approved' : 'denied');
  return errors.alreadyDecided({ message: `This confirmation has been answered already: ${winner}` });
};

export const createConfirmations = (needs: ConfirmationsNeeds): Confirmations => {
  const { clock, limits, store, openCalls, onAsked, onChanged } = needs;

  const repeats = async (call: OpenCall, question: Answer & { kind: 'question' }) => {
    if (call.asked.has(question.digest)) return true;
    const { confirmationId } = call.record;
    return confirmationId !== null && (await store.byId(confirmationId))?.digest === question.digest;
  };

  const find = async (userId: string, key: ConfirmationKey): Promise<StoredConfirmation> => {
    const found =
      'confirmationId' in key
        ? await store.byId(key.confirmationId)
        : (await store.ofCall(key.requestId)).at(-1);
    if (found?.userId !== userId) throw errors.notFound();
    return found;
  };

  const decideInTurn = async (
    asked: { found: StoredConfirmation; call: OpenCall },
    answer: ConfirmationAnswer,
    step: Step,
  ): Promise<DecideReply> => {
    const { found, call } = asked;
    const { id, options, reaches } = found.shown;
    if (call.record.confirmationId !== id) throw closed((await store.byId(id)) ?? found);
    const decision = decisionOf(answer, options);
    const reach = reachOf(answer, decision, reaches);
    const { approved } = answer;
    const at = clock.now();
    const save = async (record: OpenCall['record']) => {
      const won = await store.answer({ id, approved, decision, reach, decidedBy: found.userId, at }, record);
      if (!won) throw closed((await store.byId(id)) ?? found);
    };
    const onSaved = () => {
      call.answered = { askId: found.askId, reach };
      onChanged(id);
    };
    const details = { decision, decidedBy: found.userId, save, onSaved };
    await step(decision === null ? { type: 'refused' } : { type: 'decided', at, decision }, details);
    return { confirmationId: id, state: 'decided', approved, decision };
  };

  return {
    ask: async (call, question, step) => {
      if (await repeats(call, question)) return false;
      if (call.state.kind !== 'delivered') throw errors.conflictingResult();
      const id = nanoid();
      const at = clock.now();
      const expiresAt = at + limits.confirmationTtlMs;
      const asked = toQuestion(question.payload);
      let tell = () => {};
      const save = async (record: OpenCall['record']) => {
        const confirmation = { id, digest: question.digest, question: asked, createdAt: at, expiresAt };
        const shown = await store.ask(confirmation, record);
        tell = () => onAsked(record.userId, shown);
      };
      await step({ type: 'asked', at, confirmationId: id, expiresAt }, { save, onSaved: () => tell() });
      if (asked.askId !== null) call.asked.add(question.digest);
      return true;
    },
    get: async (userId, confirmationId) => (await find(userId, { confirmationId })).shown,
    list: async (userId) => (await store.open(userId)).map((one) => one.shown),
    decide: async (userId, key, answer) => {
      const found = await find(userId, key);
      const call = openCalls.find(found.shown.requestId);
      if (found.shown.state !== 'open' || !call) throw closed(found);
      return openCalls.inTurn(call, (step) => decideInTurn({ found, call }, answer, step));
    },
  };
};
