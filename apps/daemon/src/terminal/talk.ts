import { styleText } from 'node:util';
import { visible } from '../permission/index.ts';
import { withoutKeys } from './shorten.ts';

type Colour = 'green' | 'yellow' | 'red' | 'gray' | 'cyan';

/** Where the person reads what goes on: one tidy line each, on stderr. */
export interface Talk {
  /** `word` stands in a column of its own; `text` may hold anything, it is escaped. */
  line(word: string, text: string, colour?: Colour): void;
  /** What went wrong and what to do about it. */
  problem(error: string, next?: string): void;
  /** Text that is laid out and escaped already, such as a table. */
  block(text: string): void;
  /** Keeps lines back while a question is open; the returned function lets them out. */
  hold(): () => void;
}

const wordWidth = 13;

export const createTalk = (options: { write: (text: string) => void; colours: boolean }): Talk => {
  let holds = 0;
  let held: string[] = [];
  const paint = (colour: Colour | undefined, text: string) =>
    options.colours && colour !== undefined ? styleText(colour, text, { validateStream: false }) : text;
  const write = (text: string) => {
    const line = `${withoutKeys(text)}\n`;
    if (holds > 0) held.push(line);
    else options.write(line);
  };
  return {
    line: (word, text, colour) => write(`${paint(colour, word.padEnd(wordWidth))} ${visible(text)}`),
    problem: (error, next) => {
      write(`${paint('red', 'error')}  ${visible(error)}`);
      if (next !== undefined) write(`${paint('cyan', 'next')}   ${visible(next)}`);
    },
    block: write,
    hold: () => {
      holds += 1;
      return () => {
        holds -= 1;
        if (holds > 0) return;
        const lines = held;
        held = [];
        if (lines.length > 0) options.write(lines.join(''));
      };
    },
  };
};
