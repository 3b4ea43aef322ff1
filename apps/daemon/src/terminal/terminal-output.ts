import { visible } from '@drawbridge/kit';
import { withoutKeys } from '@drawbridge/kit/node';
import { wrapText } from '../text/wrap.ts';
import { shorten } from '../text/words.ts';
import { createPaint, createRow, wordWidth, type Colour } from './row.ts';

export interface TerminalOutputNeeds {
  write(text: string): void;
  colours: boolean;
  /** The columns of a terminal that can be drawn on; without them nothing is wrapped. */
  columns?: () => number;
}

const eraseLines = (count: number): string => (count === 0 ? '' : `\r\u001b[${count}A\u001b[J`);

/** At most `columns` wide: letters outside ASCII may take two. */
const fit = (text: string, columns: number): string => {
  const wide = text.replace(/[^\x20-\x7e]/g, '').length < text.length;
  return shorten(text, Math.max(1, wide ? Math.floor(columns / 2) : columns));
};

export const createTerminalOutput = ({ write: put, colours, columns }: TerminalOutputNeeds) => {
  let holds = 0;
  let held: string[] = [];
  let live: string[] = [];
  let drawn = 0;

  const paint = createPaint(colours);
  const row = createRow(colours);

  /** Writes above the live lines, which come back below it. */
  const putAbove = (text: string) => {
    const whole = `${eraseLines(drawn)}${text}${live.join('')}`;
    drawn = live.length;
    if (whole !== '') put(whole);
  };
  const write = (text: string) => {
    const line = `${withoutKeys(text)}\n`;
    if (holds > 0) held.push(line);
    else putAbove(line);
  };
  const writeWrapped = (line: string) => write(columns === undefined ? line : wrapText(line, columns()));

  return {
    /** `word` stands in a column of its own; `text` may hold anything, it is escaped. */
    line: (word: string, text: string, colour?: Colour) => writeWrapped(row(word, visible(text), colour)),
    problem: (error: string, next?: string) => {
      writeWrapped(`${paint('red', 'error')}  ${visible(error)}`);
      if (next !== undefined) writeWrapped(`${paint('cyan', 'next')}   ${visible(next)}`);
    },
    /** Text that is laid out and escaped already, such as a table. */
    printText: writeWrapped,
    /** Lines that stay below all others and are drawn anew in place; nothing where that cannot be. */
    live: (lines: readonly { word: string; text: string }[]) => {
      if (columns === undefined) return;
      const available = columns() - wordWidth - 2;
      live = lines.map(
        ({ word, text }) => `${row(word, fit(visible(withoutKeys(text)), available), 'cyan')}\n`,
      );
      if (holds === 0 && (live.length > 0 || drawn > 0)) putAbove('');
    },
    /** Delays lines while a question is open; the returned function writes them. */
    hold: () => {
      holds += 1;
      if (holds === 1 && drawn > 0) {
        put(eraseLines(drawn));
        drawn = 0;
      }
      return () => {
        holds -= 1;
        if (holds > 0) return;
        const lines = held;
        held = [];
        if (lines.length > 0 || live.length > 0) putAbove(lines.join(''));
      };
    },
  };
};

export type TerminalOutput = ReturnType<typeof createTerminalOutput>;
