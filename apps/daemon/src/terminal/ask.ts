import type { Readable, Writable } from 'node:stream';
import type { ConfirmationPayload, Decision } from '@drawbridge/contracts';
import { sleep, type Clock } from '@drawbridge/kit';
import type { TerminalAnswer } from '../permission/index.ts';
import { drawQuestion } from './question.ts';
import type { Talk } from './talk.ts';

/** What was typed before the question could be read is not an answer to it. */
const deafMs = 500;

const labels: Record<Decision, string> = {
  allowOnce: 'Allow once',
  allowForSession: 'Allow for this session',
  alwaysAllow: 'Always allow',
  denyOnce: 'Deny',
  alwaysDeny: 'Always deny',
};

/** The choice under the cursor comes first, so it is the one that does nothing. */
const order: readonly Decision[] = ['denyOnce', 'allowOnce', 'allowForSession', 'alwaysAllow', 'alwaysDeny'];

export interface AskNeeds {
  clock: Clock;
  talk: Talk;
  /** A terminal's keys. */
  input: Readable & { setRawMode(on: boolean): unknown };
  output: Writable;
}

export type AskInTerminal = (question: ConfirmationPayload, signal: AbortSignal) => Promise<TerminalAnswer>;

/** Asks the person at this terminal, one question at a time. Rejects when the signal is aborted first. */
export const createAskInTerminal = ({ clock, talk, input, output }: AskNeeds): AskInTerminal => {
  let last: Promise<unknown> = Promise.resolve();

  const dropTypedAhead = async (signal: AbortSignal) => {
    const drop = () => {};
    input.setRawMode(true);
    input.on('data', drop);
    input.resume();
    try {
      await sleep(clock, deafMs, signal);
    } finally {
      input.off('data', drop);
      input.setRawMode(false);
      input.pause();
    }
  };

  const askNow = async (question: ConfirmationPayload, signal: AbortSignal): Promise<TerminalAnswer> => {
    signal.throwIfAborted();
    const { isCancel, select } = await import('@clack/prompts');
    const letGo = talk.hold();
    try {
      output.write(`${drawQuestion(question)}\n`);
      await dropTypedAhead(signal);
      const offered = order.filter((one) => question.options.includes(one));
      const answer = await select<Decision>({
        input,
        output,
        signal,
        message: 'Allow it?',
        options: offered.map((value) => ({ value, label: labels[value] })),
      });
      signal.throwIfAborted();
      return { decision: isCancel(answer) ? 'denyOnce' : answer };
    } finally {
      letGo();
    }
  };

  return (question, signal) => {
    const turn = last.then(() => askNow(question, signal));
    last = turn.catch(() => undefined);
    return turn;
  };
};
