import type { Confirmation } from '@drawbridge/contracts/confirmation';
import type { RuleList, ShownRule } from '@drawbridge/contracts/rule-list';
import type { Choice } from './decisions.ts';

/** The rules that a lasting answer created, as in the machine's list of rules. */
export interface MadeRules {
  effect: ShownRule['effect'];
  lasts: ShownRule['lasts'];
  /** Whether they expire. */
  timed: boolean;
  covers: readonly string[];
}

/** The rules of an answer; null for a one-time answer, or if the machine does not identify its rules. */
export const madeBy = (choice: Choice, reaches: Confirmation['reaches']): MadeRules | null => {
  const reach = reaches.find(({ id }) => id === choice.reach);
  if (reach?.covers === undefined) return null;
  const timed = reach.durationMs !== undefined;
  const { covers } = reach;
  switch (choice.decision) {
    case 'allowForSession':
      return { effect: 'allow', lasts: 'session', timed, covers };
    case 'alwaysAllow':
      return { effect: 'allow', lasts: 'always', timed, covers };
    case 'alwaysDeny':
      return { effect: 'deny', lasts: 'always', timed, covers };
    case 'allowOnce':
    case 'denyOnce':
      return null;
    default:
      return choice.decision satisfies never;
  }
};

/** The rules of the list that the answer created. */
export const findMade = ({ rules }: RuleList, made: MadeRules): ShownRule[] =>
  rules.filter(
    ({ effect, lasts, endsAt, covers }) =>
      effect === made.effect &&
      lasts === made.lasts &&
      (endsAt !== null) === made.timed &&
      covers !== undefined &&
      made.covers.includes(covers),
  );
