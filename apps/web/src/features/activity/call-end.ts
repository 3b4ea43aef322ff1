import type { CallSummary } from '@drawbridge/contracts/calls';
import { duration } from '../../ui/text/format.ts';

/** The state of a call in its row. `tone` is for what is not fine; a call that went well has a plain tick. */
export interface CallEnd {
  icon: string;
  text: string;
  tone: 'plain' | 'ask' | 'bad';
}

type Ended = Pick<CallSummary, 'state' | 'started' | 'decision' | 'decidedBy' | 'durationMs'>;

const plain = (icon: string, text: string): CallEnd => ({ icon, text, tone: 'plain' });
const bad = (icon: string, text: string): CallEnd => ({ icon, text, tone: 'bad' });
const mayHaveRun = bad('i-lucide-circle-help', 'May have run');

const took = ({ durationMs }: Ended) => (durationMs === null ? '' : duration(durationMs));

/** How a call ended, in a few words; `userId` is the person who looks. */
export const callEnd = (call: Ended, userId: string | undefined): CallEnd => {
  switch (call.state) {
    case 'pending':
      return plain('i-lucide-clock', 'Not sent yet');
    case 'delivered':
      return plain('i-lucide-loader', 'Running');
    case 'awaiting-confirmation':
      return { icon: 'i-lucide-circle-help', text: 'Waits for you', tone: 'ask' };
    case 'succeeded':
      return plain('i-lucide-check', took(call));
    case 'failed':
      return bad('i-lucide-x', 'Failed');
    case 'denied': {
      if (call.decidedBy === null) return plain('i-lucide-ban', 'Denied by a rule');
      return plain('i-lucide-ban', call.decidedBy === userId ? 'Denied by you' : 'Denied');
    }
    case 'cancelled':
      if (call.started === null) return mayHaveRun;
      return plain('i-lucide-square', call.started ? `Stopped after ${took(call)}` : 'Not started');
    case 'timed-out':
      return call.started === null ? mayHaveRun : bad('i-lucide-timer-off', 'Timed out');
    case 'lost':
      return mayHaveRun;
    default:
      return call.state satisfies never;
  }
};
