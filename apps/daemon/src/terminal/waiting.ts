import type { ConfirmationPayload } from '@drawbridge/contracts/confirmation-payload';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import type { Clock } from '@drawbridge/kit';
import type { TerminalAnswer } from '../permission/index.ts';
import type { AskInTerminal } from './ask.ts';

const everyMs = 10_000;

/** A person takes longer than a call's deadline, so progress renews it as long as the question is open. */
export const askWithProgress =
  (clock: Clock, ask: AskInTerminal) =>
  async (
    question: ConfirmationPayload,
    { signal, progress }: { signal: AbortSignal; progress(update: ProgressBody): void },
  ): Promise<TerminalAnswer> => {
    const report = () => progress({ message: 'Waiting for an answer in the terminal of the machine' });
    report();
    const stop = clock.every(everyMs, report);
    try {
      return await ask(question, signal);
    } finally {
      stop();
    }
  };
