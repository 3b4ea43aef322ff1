import type { PreviewRow } from '@drawbridge/contracts/preview-rows';
import { diffWordsWithSpace } from 'diff';
import type { LineDetails, TextRange } from './line-parts.ts';
import { hasColours, linesInColour } from './syntax.ts';

/** Of longer lines one part is marked, between what they begin and end with alike. */
const maxWords = 1_000;
/** Lines that have less in common are another line, not a changed one. */
const leastInCommon = 0.3;

/** The language by the ending of a path; undefined if it is not known. */
const languageOf = (path: string): string | undefined => {
  const name = path.split(/[/\\]/).at(-1)?.toLowerCase() ?? '';
  return [name, name.split('.').at(-1) ?? ''].find((one) => one !== '' && hasColours(one));
};

type Line = Extract<PreviewRow, { kind: 'same' | 'added' | 'removed' }>;
const isLine = (row: PreviewRow): row is Line =>
  row.kind === 'same' || row.kind === 'added' || row.kind === 'removed';

const colour = (rows: readonly PreviewRow[], path: string, details: Map<PreviewRow, LineDetails>) => {
  const language = languageOf(path);
  if (language === undefined) return;
  for (const side of ['removed', 'added'] as const) {
    const lines = rows.filter(isLine).filter(({ kind }) => kind === 'same' || kind === side);
    const text = lines.map((line) => line.text).join('\n');
    const ranges = linesInColour(language, text);
    if (ranges === null) continue;
    for (const [at, line] of lines.entries()) details.set(line, { colours: ranges[at] ?? [], marks: [] });
  }
};

/** How many characters two texts begin with alike; never half a character. */
const alike = (before: string, after: string, at: (text: string, index: number) => string): number => {
  const most = Math.min(before.length, after.length);
  let count = 0;
  while (count < most && at(before, count) === at(after, count)) count += 1;
  return /[\ud800-\udfff]/.test(at(before, count - 1)) ? Math.max(0, count - 1) : count;
};

/** The part in which two long lines differ, where most of them is alike. */
const middleOf = (before: string, after: string): { removed: TextRange[]; added: TextRange[] } => {
  const head = alike(before, after, (text, index) => text.charAt(index));
  const [left, right] = [before.slice(head), after.slice(head)];
  const tail = alike(left, right, (text, index) => text.charAt(text.length - 1 - index));
  if (head + tail < Math.max(before.length, after.length) * leastInCommon) return { removed: [], added: [] };
  return {
    removed: [{ from: head, to: before.length - tail }],
    added: [{ from: head, to: after.length - tail }],
  };
};

/** The parts in which two lines differ; none where they have little in common. */
const marksOf = (before: string, after: string): { removed: TextRange[]; added: TextRange[] } => {
  const none = { removed: [], added: [] };
  if (Math.max(before.length, after.length) > maxWords) return middleOf(before, after);
  const found: { removed: TextRange[]; added: TextRange[] } = { removed: [], added: [] };
  let [left, right, same] = [0, 0, 0];
  for (const { value, added, removed } of diffWordsWithSpace(before, after)) {
    if (removed) found.removed.push({ from: left, to: left + value.length });
    else if (added) found.added.push({ from: right, to: right + value.length });
    else same += value.trim().length;
    if (!added) left += value.length;
    if (!removed) right += value.length;
  }
  const longest = Math.max(before.trim().length, after.trim().length);
  return same >= longest * leastInCommon ? found : none;
};

/** Marks the changed words of each removed line and the added line at its place. */
const mark = (rows: readonly PreviewRow[], details: Map<PreviewRow, LineDetails>) => {
  const put = (line: Line, marks: TextRange[]) =>
    details.set(line, { colours: details.get(line)?.colours ?? [], marks });
  let removed: Line[] = [];
  let added: Line[] = [];
  const pair = () => {
    for (const [at, line] of removed.entries()) {
      const other = added[at];
      if (other === undefined) break;
      const marks = marksOf(line.text, other.text);
      put(line, marks.removed);
      put(other, marks.added);
    }
    [removed, added] = [[], []];
  };
  for (const row of rows) {
    if (row.kind === 'removed') {
      if (added.length > 0) pair();
      removed.push(row);
    } else if (row.kind === 'added') added.push(row);
    else if (row.kind !== 'note') pair();
  }
  pair();
};

/** The details of the lines of a preview, by row. */
export const lineDetails = (rows: readonly PreviewRow[], path: string): Map<PreviewRow, LineDetails> => {
  const details = new Map<PreviewRow, LineDetails>();
  colour(rows, path, details);
  mark(rows, details);
  return details;
};
