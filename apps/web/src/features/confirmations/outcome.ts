import type { Confirmation } from '@drawbridge/contracts';
import { decisionWords, minutesOf } from './decisions.ts';

const decidedWords = ({ decision, reach, reaches }: Confirmation): string => {
  if (decision === null) return 'Denied';
  const chosen = reaches.find(({ id }) => id === reach);
  if (chosen === undefined) return decisionWords[decision].done;
  const done =
    chosen.durationMs === undefined ? decisionWords[decision].done : `Allowed for ${minutesOf(chosen)}`;
  return `${done}: ${chosen.label}`;
};

/** What became of a question, in words. */
export const outcomeOf = (confirmation: Confirmation): { text: string; approved: boolean } => {
  const { state, approved } = confirmation;
  switch (state) {
    case 'open':
      return { text: 'Open', approved: false };
    case 'withdrawn':
      return { text: 'Withdrawn: the call was stopped', approved: false };
    case 'expired':
      return { text: 'Expired: denied', approved: false };
    case 'decided':
      return { text: decidedWords(confirmation), approved: approved === true };
    default:
      return state satisfies never;
  }
};
