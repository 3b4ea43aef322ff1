import { styleText } from 'node:util';

export type Paint = (colour: 'green' | 'yellow' | 'red' | 'gray' | 'cyan', text: string) => string;

export interface Answer {
  /** For a person, without the last line break; what it holds is escaped already. */
  text(paint: Paint): string;
  json: unknown;
  /** 1: it works as asked, and the answer is no. */
  code: 0 | 1;
}

export const createPaint =
  (colours: boolean): Paint =>
  (colour, text) =>
    colours ? styleText(colour, text, { validateStream: false }) : text;

const wordWidth = 13;

/** One line of an answer: a word in a column of its own, and what there is to say. */
export const row = (
  word: string,
  text: string,
  paintWord: (word: string) => string = (same) => same,
): string => `${paintWord(word.padEnd(wordWidth))} ${text}`.trimEnd();
