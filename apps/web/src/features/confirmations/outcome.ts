import type { Confirmation } from '@drawbridge/contracts';
import { decisionWords } from './decisions.ts';

/** What became of a question, in words. */
export const outcomeOf = ({
  state,
  approved,
  decision,
}: Confirmation): { text: string; approved: boolean } => {
  switch (state) {
    case 'open':
      return { text: 'Open', approved: false };
    case 'withdrawn':
      return { text: 'Withdrawn: the call was stopped', approved: false };
    case 'expired':
      return { text: 'Expired: denied', approved: false };
    case 'decided':
      return {
        text: decision === null ? 'Denied' : decisionWords[decision].done,
        approved: approved === true,
      };
    default:
      return state satisfies never;
  }
};
