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
  const wrapped = wrapAnsi(text, columns - indent);
  // A line that fits keeps its spaces.
  if (!wrapped.includes('\n')) return line;
  const ahead = line.slice(0, line.length - text.length);
  return ahead + wrapped.replaceAll('\n', `\n${' '.repeat(indent)}`);
};

/** Breaks a text at the edge, letter by letter, and indents the further rows as far as the first. */
export const wrapHard = (before: string, text: string, columns: number): string => {
  const characters = Array.from(text);
  const width = columns - before.length;
  if (width < lastColumn || characters.length <= width) return before + text;
  const rows = Array.from({ length: Math.ceil(characters.length / width) }, (_, at) =>
    characters.slice(at * width, (at + 1) * width).join(''),
  );
  return before + rows.join(`\n${' '.repeat(before.length)}`);
};

export const wrapText = (text: string, columns: number): string =>
  text
    .split('\n')
    .map((line) => wrapLine(line, columns))
    .join('\n');

/** Wraps text that still grows: its complete rows, and the rest, which the next part is added to. */
export const wrapGrowing = (text: string, columns: number): { rows: string[]; rest: string } => {
  const start = text.lastIndexOf('\n') + 1;
  const before = start === 0 ? [] : wrapText(text.slice(0, start - 1), columns).split('\n');
  const line = text.slice(start);
  const rows = wrapLine(line, columns).split('\n');
  const last = rows.pop() ?? '';
  if (rows.length === 0) return { rows: before, rest: line };
  // The spaces behind its last word are not in the wrapped row.
  const behind = line.slice(line.trimEnd().length);
  return { rows: [...before, ...rows], rest: last + behind };
};
