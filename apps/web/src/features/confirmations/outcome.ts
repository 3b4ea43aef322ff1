import type { Confirmation } from '@drawbridge/contracts';
import { decisionWords } from './decisions.ts';

/** What became of a question that is no longer open, in words. */
export const outcomeOf = (confirmation: Confirmation): { text: string; icon: string; approved: boolean } => {
  const approved = confirmation.approved === true;
  switch (confirmation.state) {
    case 'open':
      return { text: 'Open', icon: 'i-lucide-circle-help', approved: false };
    case 'withdrawn':
      return { text: 'Withdrawn: the call was stopped', icon: 'i-lucide-undo-2', approved: false };
    case 'expired':
      return { text: 'Expired: denied', icon: 'i-lucide-timer-off', approved: false };
    case 'decided': {
      const text = confirmation.decision === null ? 'Denied' : decisionWords[confirmation.decision].done;
      return { text, icon: approved ? 'i-lucide-check' : 'i-lucide-ban', approved };
    }
    default:
      return confirmation.state satisfies never;
  }
};
