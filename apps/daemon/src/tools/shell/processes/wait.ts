import type { Clock } from '@drawbridge/kit';
import type { Process } from './process.ts';
import { plainOutput } from './output.ts';

/** Output that has not grown for so long is taken as an answer. */
const quietMs = 100;
/** Before what is new, for a text that came in pieces and with colours between. */
const overlapChars = 4_096;

export interface Awaited {
  /** The position after which output counts. */
  from: number;
  texts: readonly string[];
  waitMs: number;
  signal: AbortSignal;
}

/**
 * Waits for one of the texts, or without them for output and then a pause; no longer than the process runs.
 * Gives the text that came. Rejects on abort.
 */
export const waitForOutput = (
  process: Process,
  clock: Clock,
  { from, texts, waitMs, signal }: Awaited,
): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    let looked = from;
    let cancelQuiet = () => {};
    const settle = (run: () => void) => {
      stopListening();
      cancelTimer();
      cancelQuiet();
      signal.removeEventListener('abort', aborted);
      run();
    };
    const finish = (text?: string) => settle(() => resolve(text));
    const aborted = () => settle(() => reject(signal.reason));
    const find = () => {
      const { text } = process.output.read(Math.max(from, looked - overlapChars));
      const plain = plainOutput(text);
      return texts.find((one) => plain.includes(one));
    };
    const look = () => {
      const { output } = process;
      const found = texts.length === 0 ? undefined : find();
      looked = output.end();
      if (found !== undefined || process.end() !== undefined) return finish(found);
      if (texts.length > 0 || looked === from) return;
      cancelQuiet();
      cancelQuiet = clock.after(quietMs, finish);
    };
    const stopListening = process.onChange(look);
    const cancelTimer = clock.after(waitMs, finish);
    signal.addEventListener('abort', aborted, { once: true });
    if (signal.aborted) aborted();
    else look();
  });
