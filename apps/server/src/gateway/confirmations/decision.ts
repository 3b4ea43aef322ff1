import type { ConfirmationAnswer } from '@drawbridge/contracts/confirmation';
import type { Reach } from '@drawbridge/contracts/confirmation-payload';
import { isDenial, type Decision } from '@drawbridge/contracts/groups';
import { errors } from '../../errors.ts';

/**
 * The decision of an answer; null is a denial without one, and approval alone means `allowOnce`. Throws
 * `badRequest` if the two contradict each other or a reason comes with an approval, and `decisionNotOffered`.
 */
export const decisionOf = (answer: ConfirmationAnswer, offered: readonly Decision[]): Decision | null => {
  if (answer.approved && answer.reason !== undefined)
    throw errors.badRequest({ message: 'A reason goes with a denial' });
  const decision = answer.resourceDecision ?? (answer.approved ? 'allowOnce' : null);
  if (decision === null) return null;
  if (isDenial(decision) === answer.approved)
    throw errors.badRequest({ message: 'The decision contradicts the answer' });
  if (!offered.includes(decision)) throw errors.decisionNotOffered();
  return decision;
};

/** The reach that the user chose beside a decision; null for none. Throws `reachNotOffered`. */
export const reachOf = (
  { reach }: ConfirmationAnswer,
  decision: Decision | null,
  offered: readonly Reach[],
): string | null => {
  if (reach === undefined) return null;
  const isOffered = offered.some(
    ({ id, decisions: goesWith }) => id === reach && decision !== null && goesWith.includes(decision),
  );
  if (!isOffered) throw errors.reachNotOffered();
  return reach;
};
