import type { DiffPreview, HunkLine } from '../preview.ts';
import { contextThatFits, withContext } from './context-lines.ts';

type Line = Exclude<HunkLine, { kind: 'omitted' }>;
/** A text from its start to its end; of a gap only the number of unchanged lines is known. */
type Piece = Line | { kind: 'gap'; count: number };

const addGap = (pieces: Piece[], count: number): void => {
  const last = pieces.at(-1);
  if (last?.kind === 'gap') last.count += count;
  else if (count > 0) pieces.push({ kind: 'gap', count });
};

/** Undefined where the diff leaves something out, or does not say where its lines are. */
const piecesOf = ({ hunks, lines: total }: DiffPreview): Piece[] | undefined => {
  if (total === undefined) return undefined;
  const pieces: Piece[] = [];
  let [oldNext, newNext] = [1, 1];
  for (const { file, oldStart, newStart, lines } of hunks) {
    if (file !== undefined || oldStart === undefined || newStart === undefined) return undefined;
    const count = newStart - newNext;
    if (count < 0 || oldStart - oldNext !== count) return undefined;
    addGap(pieces, count);
    [oldNext, newNext] = [oldStart, newStart];
    for (const line of lines) {
      if (line.kind === 'omitted' || line.omittedBytes !== undefined) return undefined;
      pieces.push(line);
      if (line.kind !== 'added') oldNext += 1;
      if (line.kind !== 'removed') newNext += 1;
    }
  }
  if (total + 1 < newNext) return undefined;
  addGap(pieces, total + 1 - newNext);
  return pieces;
};

/** Whether it shows the whole change and where in the file it is: only such a diff can be merged. */
export const isWholeDiff = (diff: DiffPreview): boolean => piecesOf(diff) !== undefined;

const isEqual = (a: Line, b: Line): boolean =>
  a.text === b.text && a.lastWithoutLineFeed === b.lastWithoutLineFeed;

/** One line of the text between: what the earlier diff left there, and what the later one found there. */
const addLine = (pieces: Piece[], left: Line, found: Line): boolean => {
  if (!isEqual(left, found)) return false;
  if (found.kind === 'same') pieces.push(left);
  else if (left.kind === 'same') pieces.push(found);
  return true;
};

/** Takes `count` lines of the first piece. */
const take = (pieces: Piece[], count: number): void => {
  const [first] = pieces;
  if (first?.kind === 'gap' && first.count > count) first.count -= count;
  else pieces.shift();
};

/** Both diffs as one; undefined where the text that one left is not the text that the other found. */
const composed = (earlier: Piece[], later: Piece[]): Piece[] | undefined => {
  const pieces: Piece[] = [];
  for (;;) {
    const [left] = earlier;
    const [found] = later;
    if (left?.kind === 'removed') {
      pieces.push(left);
      earlier.shift();
    } else if (found?.kind === 'added') {
      pieces.push(found);
      later.shift();
    } else if (left === undefined || found === undefined) {
      return left === found ? pieces : undefined;
    } else {
      let count = 1;
      if (left.kind === 'gap' && found.kind === 'gap') {
        count = Math.min(left.count, found.count);
        addGap(pieces, count);
      } else if (left.kind === 'gap') pieces.push(found as Line);
      else if (found.kind === 'gap') pieces.push(left);
      else if (!addLine(pieces, left, found)) return undefined;
      take(earlier, count);
      take(later, count);
    }
  }
};

/** Lines that go and come at one place: what stays at both ends is no change. */
const block = (removed: Line[], added: Line[]): Line[] => {
  const shorter = Math.min(removed.length, added.length);
  const staysAt = (at: number) => {
    const [old, fresh] = [removed.at(at), added.at(at)];
    return old !== undefined && fresh !== undefined && isEqual(old, fresh);
  };
  let start = 0;
  while (start < shorter && staysAt(start)) start += 1;
  let end = 0;
  while (end < shorter - start && staysAt(-1 - end)) end += 1;
  const same = (lines: Line[]) => lines.map((line): Line => ({ ...line, kind: 'same' }));
  return [
    ...same(removed.slice(0, start)),
    ...removed.slice(start, removed.length - end),
    ...added.slice(start, added.length - end),
    ...same(removed.slice(removed.length - end)),
  ];
};

const inBlocks = (pieces: readonly Piece[]): Piece[] => {
  const sorted: Piece[] = [];
  let removed: Line[] = [];
  let added: Line[] = [];
  for (const piece of [...pieces, undefined]) {
    if (piece?.kind === 'removed') removed.push(piece);
    else if (piece?.kind === 'added') added.push(piece);
    else {
      sorted.push(...block(removed, added));
      [removed, added] = [[], []];
      if (piece) sorted.push(piece);
    }
  }
  return sorted;
};

const hunksOf = (pieces: readonly Piece[]) => {
  const hunks: { oldStart: number; newStart: number; lines: Line[] }[] = [];
  let [oldNext, newNext] = [1, 1];
  let isOpen = false;
  for (const piece of pieces) {
    if (piece.kind === 'gap') {
      oldNext += piece.count;
      newNext += piece.count;
      isOpen = false;
      continue;
    }
    if (!isOpen) hunks.push({ oldStart: oldNext, newStart: newNext, lines: [] });
    isOpen = true;
    hunks.at(-1)?.lines.push(piece);
    if (piece.kind !== 'added') oldNext += 1;
    if (piece.kind !== 'removed') newNext += 1;
  }
  return hunks;
};

/**
 * Two changes of one file, one after the other, as one. Undefined unless both are shown whole, and the later
 * one found the number of lines that the earlier one left, and at each line that both show the same text.
 */
export const mergedDiff = (earlier: DiffPreview, later: DiffPreview): DiffPreview | undefined => {
  const [left, found] = [piecesOf(earlier), piecesOf(later)];
  const both = left && found && composed(left, found);
  if (both === undefined) return undefined;
  const pieces = inBlocks(both);
  const hunks = hunksOf(pieces);
  const context = contextThatFits(hunks);
  const count = (kind: Line['kind']) => pieces.filter((piece) => piece.kind === kind).length;
  return {
    kind: 'diff',
    path: later.path,
    hunks: hunks.flatMap((hunk) => withContext(hunk, context)),
    added: count('added'),
    removed: count('removed'),
    ...(later.lines !== undefined && { lines: later.lines }),
  };
};
