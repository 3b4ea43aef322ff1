import {
  contextThatFits,
  linesFromChange,
  mostContext,
  shownContext,
  withContext,
} from '@drawbridge/contracts/machines/context-lines';
import type {
  DiffPreview,
  Hunk,
  HunkLine,
  LineKind,
  Omission,
  TextPreview,
} from '@drawbridge/contracts/preview';
import { cutText } from '@drawbridge/kit';
import { structuredPatch, type StructuredPatch } from 'diff';

/** Shown of a question at most: lines that come, and lines that go or stay. What is beyond is counted. */
const caps = {
  added: { lines: 2_000, characters: 60_000 },
  others: { lines: 500, characters: 15_000 },
} as const;
/** Up to here the lines are compared at once, in some milliseconds. */
const quickEdits = 100;
/** Up to here with pauses, so that other calls go on. Two texts that differ more are shown as one block. */
const maxEdits = 1_000;

const bytesOf = (text: string): number => Buffer.byteLength(text);

interface Left {
  lines: number;
  characters: number;
}

type Line = Exclude<HunkLine, { kind: 'omitted' }>;

/** The line as far as the cap goes; undefined where nothing is left of the cap. */
const shorten = (line: Line, left: Left): Line | undefined => {
  if (left.lines === 0 || (left.characters === 0 && line.text !== '')) return undefined;
  left.lines -= 1;
  const text = line.text.length <= left.characters ? line.text : cutText(line.text, left.characters);
  left.characters -= text.length;
  if (text.length === line.text.length) return line;
  left.characters = 0;
  return { ...line, text, omittedBytes: bytesOf(line.text) - bytesOf(text) };
};

const addOmitted = (lines: HunkLine[], { kind, text, lastWithoutLineFeed }: Line): void => {
  const bytes = bytesOf(text) + (lastWithoutLineFeed === true ? 0 : 1);
  const last = lines.at(-1);
  if (last?.kind === 'omitted' && last.of === kind) {
    last.lines += 1;
    last.bytes += bytes;
  } else lines.push({ kind: 'omitted', of: kind, lines: 1, bytes });
};

const capped = (hunks: readonly { lines: Line[] }[]): Hunk[] => {
  const left = { added: { ...caps.added }, others: { ...caps.others } } as Record<'added' | 'others', Left>;
  return hunks.map((hunk) => {
    const lines: HunkLine[] = [];
    const distances = linesFromChange(hunk.lines);
    for (const [at, line] of hunk.lines.entries()) {
      // Lines that are folded have their own cap.
      const isFolded = (distances[at] ?? 0) > shownContext;
      const shown = isFolded ? line : shorten(line, line.kind === 'added' ? left.added : left.others);
      if (shown === undefined) addOmitted(lines, line);
      else lines.push(shown);
    }
    return { ...hunk, lines };
  });
};

const kinds: Record<string, LineKind | undefined> = { ' ': 'same', '-': 'removed', '+': 'added' };

const toLines = (patchLines: readonly string[]): Line[] => {
  const lines: Line[] = [];
  for (const patchLine of patchLines) {
    const kind = kinds[patchLine.charAt(0)];
    const last = lines.at(-1);
    if (kind !== undefined) lines.push({ kind, text: patchLine.slice(1) });
    // The library's own note below a line, `\ No newline at end of file`.
    else if (last !== undefined) last.lastWithoutLineFeed = true;
  }
  return lines;
};

interface Change {
  before: string;
  after: string;
}

interface FoundHunk {
  oldStart: number;
  newStart: number;
  lines: Line[];
}

const toHunks = (patch: StructuredPatch): FoundHunk[] =>
  patch.hunks.map(({ oldStart, newStart, lines }) => ({ oldStart, newStart, lines: toLines(lines) }));

const compared = async ({ before, after }: Change): Promise<FoundHunk[] | undefined> => {
  const quick = structuredPatch('', '', before, after, undefined, undefined, {
    context: mostContext,
    maxEditLength: quickEdits,
  });
  if (quick !== undefined) return toHunks(quick);
  const patch = await new Promise<StructuredPatch | undefined>((resolve) => {
    structuredPatch('', '', before, after, undefined, undefined, {
      context: mostContext,
      maxEditLength: maxEdits,
      callback: resolve,
    });
  });
  return patch && toHunks(patch);
};

const split = (text: string, kind: LineKind): Line[] => {
  if (text === '') return [];
  const lines = text.split('\n').map((line): Line => ({ kind, text: line }));
  const last = lines.at(-1);
  if (last?.text === '') lines.pop();
  else if (last !== undefined) last.lastWithoutLineFeed = true;
  return lines;
};

const isSame = (a: Line | undefined, b: Line | undefined): boolean =>
  a?.text === b?.text && a?.lastWithoutLineFeed === b?.lastWithoutLineFeed;

/** All from the first line that differs to the last as one block: what goes, then what comes. */
const asBlock = ({ before, after }: Change): FoundHunk[] => {
  const old = split(before, 'removed');
  const fresh = split(after, 'added');
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && isSame(old[start], fresh[start])) start += 1;
  let end = 0;
  while (end < shorter - start && isSame(old.at(-1 - end), fresh.at(-1 - end))) end += 1;
  const around = (lines: Line[]) => lines.map((line): Line => ({ ...line, kind: 'same' }));
  const from = Math.max(0, start - mostContext);
  const lines = [
    ...around(old.slice(from, start)),
    ...old.slice(start, old.length - end),
    ...fresh.slice(start, fresh.length - end),
    ...around(old.slice(old.length - end, old.length - end + mostContext)),
  ];
  return [{ oldStart: from + 1, newStart: from + 1, lines }];
};

/** All hunks with as many unchanged lines as fit. */
const inContext = (hunks: readonly FoundHunk[], context = contextThatFits(hunks)): FoundHunk[] =>
  hunks.flatMap((hunk) => withContext(hunk, context));

const countOf = (hunks: readonly FoundHunk[], kind: LineKind): number =>
  hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.kind === kind).length, 0);

/**
 * A write as a diff. `fragment`: the place in the file is unknown.
 * Every byte of `after` is in a shown or unchanged line, or counted as left out.
 */
export const diffPreview = async (
  path: string,
  change: Change,
  where: 'file' | 'fragment',
): Promise<DiffPreview> => {
  const hunks = inContext((await compared(change)) ?? asBlock(change));
  return {
    kind: 'diff',
    path,
    hunks: capped(where === 'file' ? hunks : hunks.map(({ lines }) => ({ lines }))),
    added: countOf(hunks, 'added'),
    removed: countOf(hunks, 'removed'),
    ...(where === 'file' && { lines: split(change.after, 'same').length }),
  };
};

/** What a file of several holds before and after; `null`: not to be shown, and `note` says what it is. */
export interface FileChange {
  path: string;
  change: Change | null;
  note: HunkLine;
}

/** Changes of several files as one diff, each under its path; they share what is shown at most. */
export const filesPreview = async (path: string, files: readonly FileChange[]): Promise<DiffPreview> => {
  const compares = await Promise.all(
    files.map(async ({ path: file, change, note }) => {
      const hunks: FoundHunk[] = change === null ? [] : ((await compared(change)) ?? asBlock(change));
      return { file, note, hunks };
    }),
  );
  const context = contextThatFits(compares.flatMap(({ hunks }) => hunks));
  const found = compares.map((one) => ({ ...one, hunks: inContext(one.hunks, context) }));
  const shown = capped(found.flatMap(({ hunks }) => hunks));
  const all = found.flatMap(({ hunks }) => hunks);
  return {
    kind: 'diff',
    path,
    hunks: found.flatMap(({ file, note, hunks }) => {
      const own = shown.splice(0, hunks.length);
      const [first = { lines: [note] }, ...rest] = own;
      return [{ ...first, file }, ...rest];
    }),
    added: countOf(all, 'added'),
    removed: countOf(all, 'removed'),
  };
};

const endOfLines = (text: string, count: number): number => {
  let end = 0;
  for (let line = 0; line < count; line += 1) {
    const at = text.indexOf('\n', end);
    if (at === -1) return text.length;
    end = at + 1;
  }
  return end;
};

/** The new content alone, where the person is not to be shown what it replaces. */
export const contentPreview = (path: string, content: string): TextPreview => {
  const { lines, characters } = caps.added;
  const end = endOfLines(content, lines);
  const text = end > characters ? cutText(content, characters) : content.slice(0, end);
  const rest = content.slice(text.length);
  if (rest === '') return { kind: 'text', of: 'content', path, text };
  const begun = text.endsWith('\n') ? 0 : 1;
  const omitted: Omission = { lines: split(rest, 'same').length - begun, bytes: bytesOf(rest) };
  return { kind: 'text', of: 'content', path, text, omitted };
};
