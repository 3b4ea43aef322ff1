import {
  decisions,
  denyingDecisions,
  type ConfirmationAnswer,
  type ConfirmationPayload,
  type Decision,
} from '@drawbridge/contracts';
import { errors } from '../errors.ts';

/** The offered options that mean something; a daemon may name others, which nobody can choose. */
export const knownOptions = (payload: ConfirmationPayload): Decision[] =>
  decisions.filter((one) => payload.options.includes(one));

const denies = (decision: Decision) => denyingDecisions.some((denying) => denying === decision);

/**
 * What the user's answer decides; null is a denial without a decision. Approved without one means `allowOnce`.
 * Throws `badRequest` when the two contradict each other and `decisionNotOffered`.
 */
export const decisionOf = (answer: ConfirmationAnswer, offered: readonly Decision[]): Decision | null => {
  const decision = answer.resourceDecision ?? (answer.approved ? 'allowOnce' : null);
  if (decision === null) return null;
  if (denies(decision) === answer.approved)
    throw errors.badRequest({ message: 'The decision contradicts the answer' });
  if (!offered.includes(decision)) throw errors.decisionNotOffered();
  return decision;
};
