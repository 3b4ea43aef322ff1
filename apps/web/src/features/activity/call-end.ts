import type { CallSummary } from '@drawbridge/contracts/calls';
import { duration } from '../../ui/text/format.ts';
import { ranMs } from '../calls/ran.ts';

/** The state of a call in its row. `tone` is for what is not fine; a call that went well has a plain tick. */
export interface CallEnd {
  icon: string;
  text: string;
  tone: 'plain' | 'ask' | 'bad';
}

type Ended = Pick<CallSummary, 'state' | 'started' | 'ruling' | 'decidedBy' | 'durationMs'>;

const plain = (icon: string, text: string): CallEnd => ({ icon, text, tone: 'plain' });
const bad = (icon: string, text: string): CallEnd => ({ icon, text, tone: 'bad' });
const mayHaveRun = bad('i-lucide-circle-help', 'May have run');

const by = (verb: string, { decidedBy }: Ended, userId: string | undefined): string => {
  if (decidedBy === null) return `${verb} by a rule`;
  return decidedBy === userId ? `${verb} by you` : verb;
};
/** How long it ran; of a call that was asked about, who allowed it. */
const success = (call: Ended, userId: string | undefined): string => {
  const ms = ranMs(call);
  if (ms !== null) return duration(ms);
  return call.ruling === 'asked' ? by('Allowed', call, userId) : '';
};
const stop = (call: Ended): string => {
  const ms = ranMs(call);
  return ms === null ? 'Stopped' : `Stopped after ${duration(ms)}`;
};

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
      return plain('i-lucide-check', success(call, userId));
    case 'failed':
      return bad('i-lucide-x', 'Failed');
    case 'denied':
      return plain('i-lucide-ban', by('Denied', call, userId));
    case 'cancelled':
      if (call.started === null) return mayHaveRun;
      return plain('i-lucide-square', call.started ? stop(call) : 'Not started');
    case 'timed-out':
      return call.started === null ? mayHaveRun : bad('i-lucide-timer-off', 'Timed out');
    case 'lost':
      return mayHaveRun;
    default:
      return call.state satisfies never;
  }
};
