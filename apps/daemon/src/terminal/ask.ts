import type { Readable, Writable } from 'node:stream';
import type { ConfirmationPayload } from '@drawbridge/contracts';
import { sleep, type Clock } from '@drawbridge/kit';
import { visible, type TerminalAnswer } from '../permission/index.ts';
import { drawKeys, keysOf, scopesOf } from './keys.ts';
import { drawQuestion } from './question.ts';
import type { Talk } from './talk.ts';

/** What was typed before the question could be read is not an answer to it. */
const deafMs = 500;

/** Ctrl-C, Ctrl-D and Escape. */
const takenForNo = new Set(['\u0003', '\u0004', '\u001b']);

export interface AskNeeds {
  clock: Clock;
  talk: Talk;
  /** A terminal's keys. */
  input: Readable & { setRawMode(on: boolean): unknown };
  /** `columns` where it is a terminal. */
  output: Writable & { columns?: number };
  /** Whether keys may come from a tool at this moment: such keys answer nothing. */
  isOwnInput?(): boolean;
}

export type AskInTerminal = (question: ConfirmationPayload, signal: AbortSignal) => Promise<TerminalAnswer>;

/** Asks the person at this terminal, one question at a time; one key answers. Rejects when the signal is aborted first. */
export const createAskInTerminal = ({
  clock,
  talk,
  input,
  output,
  isOwnInput = () => false,
}: AskNeeds): AskInTerminal => {
  let last: Promise<unknown> = Promise.resolve();

  /** Hands over each key that is pressed by itself: what comes in one piece was pasted, or is a key without a letter. */
  const listen = (hear: (key: string) => void): (() => void) => {
    const onData = (chunk: Buffer | string) => {
      const text = chunk.toString('utf8');
      if (text.length === 1 && !isOwnInput()) hear(text);
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
        reject(signal.reason);
      };
      const answer = (words: string, given: TerminalAnswer) => {
        stop();
        output.write(`  > ${words}\n\n`);
        resolve(given);
      };
      const draw = () => output.write(drawKeys(question, scope));
      const stopListening = listen((key) => {
        if (takenForNo.has(key)) return answer('no', { decision: 'denyOnce' });
        if (key.toLowerCase() === 'r' && scopes.length > 1) {
          scope = scopes[(scopes.indexOf(scope ?? '') + 1) % scopes.length];
          return draw();
        }
        const found = keysOf(question, scope).find((one) => one.key === key.toLowerCase());
        if (found) answer(visible(found.words), found.answer);
      });
      signal.addEventListener('abort', abort, { once: true });
      draw();
    });

  const askNow = async (question: ConfirmationPayload, signal: AbortSignal): Promise<TerminalAnswer> => {
    signal.throwIfAborted();
    const letGo = talk.hold();
    const drop = () => {};
    input.setRawMode(true);
    input.on('data', drop);
    input.resume();
    try {
      output.write(`${drawQuestion(question, output.columns)}\n`);
      await sleep(clock, deafMs, signal);
      return await readKeys(question, signal);
    } finally {
      input.off('data', drop);
      input.setRawMode(false);
      input.pause();
      letGo();
    }
  };

  return (question, signal) => {
    const turn = last.then(() => askNow(question, signal));
    last = turn.catch(() => undefined);
    return turn;
  };
};
