import type { ProgressBody } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import type { Dispatch } from '../link/index.ts';
import type { AskInTerminal } from './ask.ts';

const everyMs = 10_000;

/**
 * A person at a terminal takes longer than a call's deadline. While a question is open, the call says so to the server,
 * which renews the deadline. `dispatch` and `askInTerminal` come back with that added.
 */
export const createWaiting = (clock: Clock) => {
  // The gate hands a call's signal to the question, so the signal tells which call a question belongs to.
  const progressOf = new WeakMap<AbortSignal, (update: ProgressBody) => void>();
  return {
    dispatch:
      (dispatch: Dispatch): Dispatch =>
      (request, context) => {
        progressOf.set(context.signal, context.progress);
        return dispatch(request, context);
      },
    askInTerminal:
      (ask: AskInTerminal): AskInTerminal =>
      async (question, signal) => {
        const tell = () =>
          progressOf.get(signal)?.({ message: 'Waiting for an answer in the terminal of the machine' });
        tell();
        const stop = clock.every(everyMs, tell);
        try {
          return await ask(question, signal);
        } finally {
          stop();
        }
      },
  };
};
