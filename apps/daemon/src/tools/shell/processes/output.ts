import { stripVTControlCharacters } from 'node:util';
import { StringDecoder } from 'node:string_decoder';
import type { OutputName } from '../follow-command.ts';

/** Trimmed in pieces of this share, so that a small write costs no copy of the whole. */
const slack = 4;

const isLowSurrogate = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
};

/**
 * The last output of a process, both streams in the order in which they came. A position is a number of
 * UTF-16 code units since the start, also of those that are gone.
 */
export const createOutputBuffer = (maxChars: number) => {
  let decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  let kept = '';
  let keptFrom = 0;

  const trim = (toChars: number) => {
    const cut = kept.length - toChars;
    if (cut <= 0) return;
    const at = isLowSurrogate(kept, cut) ? cut + 1 : cut;
    kept = kept.slice(at);
    keptFrom += at;
  };

  return {
    add: (name: OutputName, chunk: Buffer) => {
      kept += decoders[name].write(chunk);
      if (kept.length > maxChars + maxChars / slack) trim(maxChars);
    },
    keptFrom: () => keptFrom,
    end: () => keptFrom + kept.length,
    /** From a position on, or from the oldest that is kept, at most so many code units. */
    read: (position: number, chars = Infinity) => {
      const from = Math.min(Math.max(position, keptFrom), keptFrom + kept.length);
      const start = from - keptFrom;
      const stop = Math.min(kept.length, start + chars);
      // Not in the middle of a character, unless that is all there is.
      const whole = stop < kept.length && stop - 1 > start && isLowSurrogate(kept, stop) ? stop - 1 : stop;
      return { from, text: kept.slice(start, whole), cursor: keptFrom + whole };
    },
    trim,
    /** The next start begins anew. */
    clear: () => {
      decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
      kept = '';
      keptFrom = 0;
    },
  };
};

/** All control characters but tab and line feed; carriage returns are folded before. */
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** The last state of a line that was written over. */
const lastState = (line: string): string => {
  const ended = line.endsWith('\r') ? line.slice(0, -1) : line;
  return ended.slice(ended.lastIndexOf('\r') + 1);
};

/** Output as a person reads it: without colours and other sequences for a terminal. */
export const plainOutput = (raw: string): string =>
  stripVTControlCharacters(raw).split('\n').map(lastState).join('\n').replaceAll(controls, '');
