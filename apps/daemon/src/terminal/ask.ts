import type { Readable, Writable } from 'node:stream';
import type { ConfirmationPayload } from '@drawbridge/contracts/confirmation-payload';
import type { RequestCaller } from '@drawbridge/contracts/daemon-event';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { createSerialQueue, sleep, type Clock, visible } from '@drawbridge/kit';
import type { TerminalAnswer } from '../permission/index.ts';
import { drawKeys, keysOf, scopesOf } from './keys.ts';
import { drawQuestion } from './question.ts';
import type { TerminalOutput } from './terminal-output.ts';

/** What was typed before the question could be read is not an answer to it. */
const ignoreKeysMs = 500;

const ctrlC = '\u0003';
/** Ctrl-C, Ctrl-D and Escape. */
const refusalKeys = new Set([ctrlC, '\u0004', '\u001b']);
const refusedByCtrlC = 'no (while no question is open, Ctrl-C stops drawbridge)';

export interface AskNeeds {
  clock: Clock;
  terminal: TerminalOutput;
  input: Readable & { setRawMode(on: boolean): unknown };
  /** `columns` where it is a terminal. */
  output: Writable & { columns?: number };
  /** Whether keys may come from a tool at this moment: such keys answer nothing. */
  isOwnInput?(): boolean;
}

/** `caller`: who makes the call, as the server says. */
export type AskInTerminal = (
  question: ConfirmationPayload,
  asked: { signal: AbortSignal; caller?: RequestCaller },
) => Promise<TerminalAnswer>;

/** Asks at this terminal, one question at a time; one key answers. Rejects when the signal aborts first. */
export const createAskInTerminal = ({
  clock,
  terminal,
  input,
  output,
  isOwnInput = () => false,
}: AskNeeds): AskInTerminal => {
  const inTurn = createSerialQueue();

  /** Passes on single keys only: several characters at once were pasted, or are a key without a letter. */
  const listen = (onKey: (key: string) => void): (() => void) => {
    const onData = (chunk: Buffer | string) => {
      const text = chunk.toString('utf8');
      if (text.length === 1 && !isOwnInput()) onKey(text);
    };
    input.on('data', onData);
    return () => input.off('data', onData);
  };

  const readKeys = (question: ConfirmationPayload, signal: AbortSignal): Promise<TerminalAnswer> =>
    new Promise((resolve, reject) => {
      const scopes = scopesOf(question);
      let [scope] = scopes;
      const stop = () => {
        stopListening();
        signal.removeEventListener('abort', abort);
      };
      const abort = () => {
        stop();
        output.write('  > no longer open\n\n');
        reject(signal.reason);
      };
      const answer = (words: string, chosen: TerminalAnswer) => {
        stop();
        output.write(`  > ${words}\n\n`);
        resolve(chosen);
      };
      const draw = () => output.write(drawKeys(question, scope));
      const stopListening = listen((key) => {
        if (refusalKeys.has(key))
          return answer(key === ctrlC ? refusedByCtrlC : 'no', { decision: 'denyOnce' });
        if (key.toLowerCase() === 'r' && scopes.length > 1) {
          scope = scopes[(scopes.indexOf(scope ?? '') + 1) % scopes.length];
          return draw();
        }
        const pressed = keysOf(question, scope).find((one) => one.key === key.toLowerCase());
        if (pressed) answer(visible(pressed.words), pressed.answer);
      });
      signal.addEventListener('abort', abort, { once: true });
      draw();
    });

  const askNow: AskInTerminal = async (question, { signal, caller }) => {
    signal.throwIfAborted();
    const release = terminal.hold();
    const drop = () => {};
    input.setRawMode(true);
    input.on('data', drop);
    input.resume();
    try {
      output.write(`${drawQuestion(question, { columns: output.columns, caller })}\n`);
      await sleep(clock, ignoreKeysMs, signal);
      return await readKeys(question, signal);
    } finally {
      input.off('data', drop);
      input.setRawMode(false);
      input.pause();
      release();
    }
  };

  return (question, asked) => inTurn(() => askNow(question, asked));
};

const reportEveryMs = 10_000;

/** A person takes longer than a call's deadline, so progress renews it as long as the question is open. */
export const askWithProgress =
  (clock: Clock, ask: AskInTerminal) =>
  async (
    question: ConfirmationPayload,
    {
      progress,
      ...asked
    }: { signal: AbortSignal; caller?: RequestCaller; progress(update: ProgressBody): void },
  ): Promise<TerminalAnswer> => {
    const report = () => progress({ message: 'Waiting for an answer in the terminal of the machine' });
    report();
    const stop = clock.every(reportEveryMs, report);
    try {
      return await ask(question, asked);
    } finally {
      stop();
    }
  };
