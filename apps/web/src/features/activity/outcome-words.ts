import type { CallSummary } from '@drawbridge/contracts';

export interface OutcomeWords {
  title: string;
  text: string;
  /** Whether the machine may be in a state that nobody knows. */
  unsure: boolean;
}

const look = 'Look at the machine before you try again.';
const nothing = 'Nothing was done.';
const stays = 'What it did until then stays done.';

const sure = (title: string, text: string): OutcomeWords => ({ title, text, unsure: false });
const unsure = (title: string, text = look): OutcomeWords => ({ title, text, unsure: true });

/** What the end of a call without a result of its own means for the machine; null where its error or result says all. */
export const outcomeWords = ({
  state,
  started,
  error,
}: Pick<CallSummary, 'state' | 'started' | 'error'>): OutcomeWords | null => {
  switch (state) {
    case 'lost':
      return unsure('It may have run');
    case 'cancelled':
      if (started === null) return unsure('Cancelled. It may have run');
      return started
        ? sure('Cancelled after it had started', stays)
        : sure('Cancelled before it started', nothing);
    case 'timed-out':
      if (started === null) return unsure('Timed out. It may have run');
      return started
        ? sure('Timed out while it ran', `It was stopped. ${stays}`)
        : sure('Timed out before it started', nothing);
    case 'failed':
      return error?.code === 'DISCONNECTED' && started !== false
        ? unsure('The machine went away. It may have run')
        : null;
    case 'pending':
    case 'delivered':
    case 'awaiting-confirmation':
    case 'succeeded':
    case 'denied':
      return null;
    default:
      return state satisfies never;
  }
};
