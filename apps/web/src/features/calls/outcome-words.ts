import type { CallSummary } from '@drawbridge/contracts/calls';
import { counted, duration } from '../../ui/text/format.ts';
import { ranMs } from './ran.ts';

export interface OutcomeWords {
  title: string;
  text: string;
  /** Whether the call may or may not have run. */
  unsure: boolean;
}

interface Ended extends Pick<CallSummary, 'state' | 'started' | 'error' | 'durationMs' | 'ruling'> {
  /** How many lines of output arrived before the end. */
  printedLines: number;
}

const check = 'Check the machine before you try again.';
const nothing = 'Nothing was changed.';
const stays = 'Changes made before that are kept.';

const sure = (title: string, text: string): OutcomeWords => ({ title, text, unsure: false });
const unsure = (title: string, text = check): OutcomeWords => ({ title, text, unsure: true });

/** The end of a call that had started. */
const stopped = (verb: string, call: Ended): OutcomeWords => {
  const { printedLines } = call;
  const ms = ranMs(call);
  const printed = printedLines > 0 ? `It had printed ${counted(printedLines, 'line')}. ` : '';
  return sure(ms === null ? verb : `${verb} after ${duration(ms)}`, printed + stays);
};

/** The end of a call without a result, in words; null if its error or its result explains it. */
export const outcomeWords = (call: Ended): OutcomeWords | null => {
  const { state, error } = call;
  // What has printed has started, also before the machine says so.
  const started = call.printedLines > 0 ? true : call.started;
  switch (state) {
    case 'lost':
      return unsure('It may have run');
    case 'cancelled':
      if (started === null) return unsure('Cancelled. It may have run');
      return started ? stopped('Stopped', call) : sure('Cancelled before it started', nothing);
    case 'timed-out':
      if (started === null) return unsure('Timed out. It may have run');
      return started ? stopped('Timed out', call) : sure('Timed out before it started', nothing);
    case 'failed':
      return error?.code === 'DISCONNECTED' && started !== false
        ? unsure('The machine disconnected. It may have run')
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
