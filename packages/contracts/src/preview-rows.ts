import { linesFromChange, shownContext } from './machines/context-lines.ts';
import type { DiffPreview, HunkLine, LineKind, Omission, Preview, TextPreview } from './preview.ts';

/**
 * A displayed row. `file`: whose lines follow; `gap`: unchanged lines, `folded` those of them that are known;
 * `note`: about the line above; `omitted`: what is not shown.
 */
export type PreviewRow =
  | { kind: LineKind; text: string; oldLine?: number; newLine?: number }
  | { kind: 'gap'; text: string; folded?: PreviewRow[] }
  | { kind: 'file' | 'note' | 'omitted'; text: string };

/** What stands before a row where it is text alone. */
export const rowSigns: Record<PreviewRow['kind'], string> = {
  added: '+',
  removed: '-',
  same: ' ',
  file: '=',
  gap: '~',
  note: '\\',
  omitted: '!',
};

const counted = (count: number, noun: string) =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

const kindWords: Record<LineKind, string> = { added: 'new', removed: 'removed', same: 'unchanged' };

const noLineFeed: PreviewRow = { kind: 'note', text: 'No line feed at the end' };

interface Numbers {
  oldLine: number;
  newLine: number;
}

const numbered = (kind: LineKind, { oldLine, newLine }: Numbers) => {
  switch (kind) {
    case 'added':
      return { newLine };
    case 'removed':
      return { oldLine };
    case 'same':
      return { oldLine, newLine };
    default:
      return kind satisfies never;
  }
};

const rowsOf = (line: HunkLine, at: Numbers | undefined): PreviewRow[] => {
  if (line.kind === 'omitted') {
    const noun = `${kindWords[line.of]} line`;
    const verb = line.lines === 1 ? 'is' : 'are';
    return [
      {
        kind: 'omitted',
        text: `${counted(line.lines, noun)} (${counted(line.bytes, 'byte')}) ${verb} not shown`,
      },
    ];
  }
  const { kind, text, omittedBytes, lastWithoutLineFeed } = line;
  const rest = omittedBytes ?? 0;
  return [
    { kind, text, ...(at && numbered(kind, at)) },
    ...(rest > 0
      ? [{ kind: 'omitted' as const, text: `The rest of this line (${counted(rest, 'byte')}) is not shown` }]
      : []),
    ...(lastWithoutLineFeed === true ? [noLineFeed] : []),
  ];
};

/** Moves the numbers past a line. */
const pass = (at: Numbers, line: HunkLine): void => {
  const [kind, count] = line.kind === 'omitted' ? [line.of, line.lines] : [line.kind, 1];
  if (kind !== 'added') at.oldLine += count;
  if (kind !== 'removed') at.newLine += count;
};

const unchanged = (count: number) => counted(count, 'unchanged line');

/** Unchanged lines between two changes: `rows` of those that the diff has, and the number of all. */
interface Fold {
  rows: PreviewRow[];
  count: number;
}

const addGap = (fold: Fold, count: number): void => {
  if (count <= 0) return;
  fold.rows.push({ kind: 'gap', text: unchanged(count) });
  fold.count += count;
};

/** Ends the fold: one row for all of it. */
const close = (rows: PreviewRow[], fold: Fold): void => {
  const [first, second] = fold.rows;
  if (first !== undefined)
    rows.push(
      first.kind === 'gap' && second === undefined
        ? first
        : { kind: 'gap', text: unchanged(fold.count), folded: fold.rows },
    );
  fold.rows = [];
  fold.count = 0;
};

const diffRows = ({ hunks, lines }: DiffPreview): PreviewRow[] => {
  const rows: PreviewRow[] = [];
  const fold: Fold = { rows: [], count: 0 };
  let next = 1;
  for (const { oldStart, newStart, lines: own, file } of hunks) {
    if (file !== undefined) {
      close(rows, fold);
      rows.push({ kind: 'file', text: file });
      next = 1;
    }
    const at =
      oldStart === undefined || newStart === undefined ? undefined : { oldLine: oldStart, newLine: newStart };
    if (at) addGap(fold, at.newLine - next);
    const distances = linesFromChange(own);
    for (const [index, line] of own.entries()) {
      const isFolded = (distances[index] ?? 0) > shownContext;
      if (isFolded) fold.count += 1;
      else close(rows, fold);
      (isFolded ? fold.rows : rows).push(...rowsOf(line, at));
      if (at) pass(at, line);
    }
    if (at) next = at.newLine;
  }
  if (hunks.length === 0) rows.push({ kind: 'note', text: 'The text does not change' });
  else if (lines !== undefined) addGap(fold, lines + 1 - next);
  close(rows, fold);
  return rows;
};

const textRows = ({ of, text, omitted }: TextPreview): PreviewRow[] => {
  const lines = text.split('\n');
  const endsWithLineFeed = lines.at(-1) === '' && lines.length > 1;
  if (endsWithLineFeed) lines.pop();
  const rows = lines.map((line, at): PreviewRow =>
    of === 'content' ? { kind: 'added', text: line, newLine: at + 1 } : { kind: 'same', text: line },
  );
  if (omitted === 'unknown')
    return [...rows, { kind: 'omitted', text: 'The rest is not shown; the machine did not report its size' }];
  if (omitted === undefined) return of === 'content' && !endsWithLineFeed ? [...rows, noLineFeed] : rows;
  const { lines: more, bytes } = omitted;
  const words =
    more === 0 ? counted(bytes, 'byte') : `${counted(more, 'line')} and ${counted(bytes, 'byte')}`;
  return [...rows, { kind: 'omitted', text: `The rest is not shown: ${words}` }];
};

/** A preview row by row, for the panel and the terminal. Texts are not escaped yet. */
export const previewRows = (preview: Preview): PreviewRow[] =>
  preview.kind === 'diff' ? diffRows(preview) : textRows(preview);

/** The number of added and removed lines; undefined if unknown. */
export const previewCounts = (preview: Preview): { added: number; removed: number } | undefined =>
  preview.kind === 'diff' ? { added: preview.added, removed: preview.removed } : undefined;

const bytesLeftOut = (line: HunkLine, of: LineKind): Omission => {
  if (line.kind === 'omitted') return line.of === of ? line : { lines: 0, bytes: 0 };
  return { lines: 0, bytes: line.kind === of ? (line.omittedBytes ?? 0) : 0 };
};

const leftOutOf = ({ hunks }: DiffPreview, of: LineKind): Omission => {
  const sum = { lines: 0, bytes: 0 };
  for (const line of hunks.flatMap(({ lines }) => lines)) {
    const { lines, bytes } = bytesLeftOut(line, of);
    sum.lines += lines;
    sum.bytes += bytes;
  }
  return sum;
};

/** What is missing of the new text, else of the removed text, in words; undefined if nothing is missing. */
export const leftOutWords = (preview: Preview): string | undefined => {
  if (preview.kind === 'text') {
    if (preview.omitted === undefined) return undefined;
    return preview.omitted === 'unknown'
      ? 'Not all of the change is shown; the machine did not report the size of the rest'
      : `Not shown: ${counted(preview.omitted.bytes, 'byte')} of the new text`;
  }
  const added = leftOutOf(preview, 'added');
  if (added.bytes > 0)
    return `Not shown: ${counted(added.bytes, 'byte')} of the new text, ${counted(added.lines, 'whole line')}`;
  const removed = leftOutOf(preview, 'removed');
  return removed.bytes > 0 ? `Not shown: ${counted(removed.lines, 'removed line')}` : undefined;
};
