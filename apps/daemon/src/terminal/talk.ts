import { styleText } from 'node:util';
import { escapeText, withoutKeys } from './escape.ts';

type Colour = 'green' | 'yellow' | 'red' | 'gray' | 'cyan';

/** Where the person reads what goes on: one tidy line each, on stderr. */
export interface Talk {
  /** `word` stands in a column of its own; `text` may hold anything, it is escaped. */
  line(word: string, text: string, colour?: Colour): void;
  /** What went wrong and what to do about it. */
  problem(error: string, next?: string): void;
  /** Text that is ours and laid out already, such as a table. */
  block(text: string): void;
}

const wordWidth = 13;

export const createTalk = (options: { write: (text: string) => void; colours: boolean }): Talk => {
  const paint = (colour: Colour | undefined, text: string) =>
    options.colours && colour !== undefined ? styleText(colour, text) : text;
  const write = (text: string) => options.write(`${withoutKeys(text)}\n`);
  return {
    line: (word, text, colour) => write(`${paint(colour, word.padEnd(wordWidth))} ${escapeText(text)}`),
    problem: (error, next) => {
      write(`${paint('red', 'error')}  ${escapeText(error)}`);
      if (next !== undefined) write(`${paint('cyan', 'next')}   ${escapeText(next)}`);
    },
    block: (text) => write(text),
  };
};
