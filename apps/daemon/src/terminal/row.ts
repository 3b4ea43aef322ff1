import { styleText } from 'node:util';

export type Colour = 'green' | 'yellow' | 'red' | 'gray' | 'cyan';

export const wordWidth = 13;

/** One line: a word in a column of its own, painted where colours are on, and what there is to say. */
export type Row = (word: string, text: string, colour?: Colour) => string;

export const createPaint =
  (colours: boolean) =>
  (colour: Colour | undefined, text: string): string =>
    colours && colour !== undefined ? styleText(colour, text, { validateStream: false }) : text;

export const createRow = (colours: boolean): Row => {
  const paint = createPaint(colours);
  return (word, text, colour) => `${paint(colour, word.padEnd(wordWidth))} ${text}`.trimEnd();
};

/** Without colours. */
export const row = createRow(false);
