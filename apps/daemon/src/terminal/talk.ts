import { styleText } from 'node:util';
import { withoutKeys } from '../log/index.ts';
import { visible } from '../permission/index.ts';
import { fold } from './fold.ts';
import { shorten } from './shorten.ts';

type Colour = 'green' | 'yellow' | 'red' | 'gray' | 'cyan';

/** Where the person reads what goes on: one tidy line each, on stderr. */
export interface Talk {
  /** `word` stands in a column of its own; `text` may hold anything, it is escaped. */
  line(word: string, text: string, colour?: Colour): void;
  /** What went wrong and what to do about it. */
  problem(error: string, next?: string): void;
  /** Text that is laid out and escaped already, such as a table. */
  block(text: string): void;
  /** Lines that stay below all others and are drawn anew in place; nothing where that cannot be. */
  live(lines: readonly { word: string; text: string }[]): void;
  /** Keeps lines back while a question is open; the returned function lets them out. */
  hold(): () => void;
}

export interface TalkNeeds {
  write(text: string): void;
  colours: boolean;
  /** The columns of a terminal that can be drawn on; left out where there is none: nothing is folded there. */
  columns?: () => number;
}

const wordWidth = 13;

/** Takes away so many lines above the cursor, and what stands right of it. */
const eraseLines = (count: number): string => (count === 0 ? '' : `\r\u001b[${count}A\u001b[J`);

/** At most `columns` wide: letters outside ASCII may take two. */
const fit = (text: string, columns: number): string => {
  const wide = text.replace(/[^\x20-\x7e]/g, '').length < text.length;
  return shorten(text, Math.max(1, wide ? Math.floor(columns / 2) : columns));
};

export const createTalk = ({ write: put, colours, columns }: TalkNeeds): Talk => {
  let holds = 0;
  let held: string[] = [];
  let live: string[] = [];
  let drawn = 0;

  const paint = (colour: Colour | undefined, text: string) =>
    colours && colour !== undefined ? styleText(colour, text, { validateStream: false }) : text;

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
  const writeFolded = (line: string) => write(columns === undefined ? line : fold(line, columns()));
  const oneLine = (word: string, text: string, colour?: Colour) =>
    `${paint(colour, word.padEnd(wordWidth))} ${text}`;

  return {
    line: (word, text, colour) => writeFolded(oneLine(word, visible(text), colour)),
    problem: (error, next) => {
      writeFolded(`${paint('red', 'error')}  ${visible(error)}`);
      if (next !== undefined) writeFolded(`${paint('cyan', 'next')}   ${visible(next)}`);
    },
    block: write,
    live: (lines) => {
      if (columns === undefined) return;
      const room = columns() - wordWidth - 2;
      live = lines.map(
        ({ word, text }) => `${oneLine(word, fit(visible(withoutKeys(text)), room), 'cyan')}\n`,
      );
      if (holds === 0 && (live.length > 0 || drawn > 0)) putAbove('');
    },
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
