import { stripVTControlCharacters } from 'node:util';
import { wrapAnsi } from 'fast-wrap-ansi';

/** What stands in columns ahead of the text ends within the first so many. */
const lastColumn = 26;
const columnsAhead = new RegExp(`^.{0,${lastColumn - 2}} {2}(?=[^ ])`);

/**
 * Wraps a table row between words; further lines are indented to the text's first word.
 * A wider word stays whole, so that it can be copied.
 */
export const wrapLine = (line: string, columns: number): string => {
  const plain = stripVTControlCharacters(line);
  const indent = columnsAhead.exec(plain)?.[0].length ?? 0;
  const text = plain.slice(indent);
  if (!line.endsWith(text) || columns < 2 * lastColumn) return line;
  const ahead = line.slice(0, line.length - text.length);
  return ahead + wrapAnsi(text, columns - indent).replaceAll('\n', `\n${' '.repeat(indent)}`);
};

export const wrapText = (text: string, columns: number): string =>
  text
    .split('\n')
    .map((line) => wrapLine(line, columns))
    .join('\n');
