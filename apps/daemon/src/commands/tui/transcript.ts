import type { Interface } from 'node:readline';
import type { WriteStream } from 'node:tty';
import { visibleLines } from '@drawbridge/kit';
import { wrapGrowing } from '../../text/wrap.ts';

interface TranscriptNeeds {
  rl: Interface;
  output: WriteStream;
  columns(): number;
  /** The line below the transcript. */
  status(): string;
}

/** Text above a status line and the line that is typed; these are drawn anew below each addition. */
export const createTranscript = ({ rl, output, columns, status }: TranscriptNeeds) => {
  /** The last line of the answer, while it grows. */
  let partial = '';
  let drawn = 0;

  /** Removes what stands below the transcript; `typed` are the rows of the line that is typed. */
  const erase = (typed = rl.getCursorPos().rows) => {
    const up = drawn + typed;
    output.write(`\r${up > 0 ? `\u001b[${up}A` : ''}\u001b[J`);
    drawn = 0;
  };
  const draw = () => {
    const rows = [...(partial === '' ? [] : [partial.trimEnd()]), status()];
    output.write(rows.map((one) => `${one}\n`).join(''));
    drawn = rows.length;
    // Readline would go up by the rows of the line that was erased.
    Reflect.set(rl, 'prevRows', 0);
    rl.prompt(true);
  };
  const put = (text: string, typed?: number) => {
    erase(typed);
    if (text !== '') output.write(`${text}\n`);
    draw();
  };
  const endPartial = (): string => {
    const rest = partial;
    partial = '';
    return rest;
  };

  return {
    put,
    redraw: () => put(''),
    /** Whole lines, escaped already; an unfinished line of the answer ends before them. */
    print: (text: string) => {
      const rest = endPartial();
      put(rest === '' ? text : `${rest}\n${text}`);
    },
    /** Part of the answer. */
    stream: (text: string) => {
      const { rows, rest } = wrapGrowing(partial + visibleLines(text), columns() - 1);
      partial = rest;
      if (rows.length === 0) return put('');
      erase();
      output.write(rows.map((one) => `${one}\n`).join(''));
      draw();
    },
    end: () => {
      erase();
      const rest = endPartial();
      if (rest !== '') output.write(`${rest}\n`);
    },
  };
};
