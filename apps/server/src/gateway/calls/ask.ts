import type { ConfirmationPayload, Reach } from '@drawbridge/contracts/confirmation-payload';
import { decisions, type Decision } from '@drawbridge/contracts/groups';
import { toPreview } from '@drawbridge/contracts/preview';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { errors } from '../../errors.ts';
import type { GatewayLimits } from '../limits.ts';
import type { Answer } from './transition/answer.ts';
import type { OpenCall } from './runner/held-calls.ts';
import type { Step } from './runner/runner.ts';
import type { Question } from './store/confirmation-row.ts';
import type { ConfirmationsStore } from './store/confirmations.store.ts';

export interface AskContext {
  clock: Clock;
  limits: GatewayLimits;
  confirmations: Pick<ConfirmationsStore, 'byId'>;
}

/** The offered options that this server knows; others cannot be chosen. */
export const knownOptions = (payload: ConfirmationPayload): Decision[] =>
  decisions.filter((option) => payload.options.includes(option));

/** The offered reaches that can be chosen with one of the offered options. */
const knownReaches = (payload: ConfirmationPayload): Reach[] => {
  const options: string[] = knownOptions(payload);
  return (payload.reaches ?? []).flatMap((option) => {
    const known = option.decisions.filter((name) => options.includes(name));
    return known.length === 0 ? [] : [{ ...option, decisions: known }];
  });
};

const toQuestion = (payload: ConfirmationPayload): Question => {
  const { toolGroup, resource, description } = payload;
  return {
    toolGroup,
    resource,
    description,
    resources: payload.resources ?? [{ toolGroup, resource, description }],
    options: knownOptions(payload),
    title: payload.title ?? null,
    preview: payload.preview === undefined ? null : toPreview(payload.preview),
    askId: payload.askId ?? null,
    reaches: knownReaches(payload),
    why: payload.why ?? [],
  };
};

const isRepeat = async ({ confirmations }: AskContext, { data }: OpenCall, digest: string) => {
  if (data.asked.has(digest)) return true;
  const { confirmationId } = data.record;
  return confirmationId !== null && (await confirmations.byId(confirmationId))?.digest === digest;
};

/**
 * Stores a daemon's question; false when the same question is stored already. Part of the call's turn. Throws
 * `oldEpoch` for one from before the daemon's newest init, which gets the call again and asks itself.
 */
export const askInTurn = async (
  ctx: AskContext,
  { call, epoch, step }: { call: OpenCall; epoch: number; step: Step },
  question: Answer & { kind: 'question' },
): Promise<boolean> => {
  if (await isRepeat(ctx, call, question.digest)) return false;
  if (call.data.state.kind !== 'delivered') throw errors.conflictingResult();
  const at = ctx.clock.now();
  const confirmation = {
    id: nanoid(),
    digest: question.digest,
    question: toQuestion(question.payload),
    createdAt: at,
    expiresAt: at + ctx.limits.confirmationTtlMs,
  };
  if (await step({ type: 'asked', at, epoch, confirmation })) return true;
  if (await isRepeat(ctx, call, question.digest)) return false;
  throw errors.oldEpoch();
};
