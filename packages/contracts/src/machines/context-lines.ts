import type { HunkLine } from '../preview.ts';

/** Unchanged lines around a change that are shown at once. */
export const shownContext = 3;

/** Unchanged lines around a change that a diff has at most: those beyond `shownContext` are folded. */
export const mostContext = 40;
/** Folded lines of one diff at most. */
const caps = { lines: 400, characters: 12_000 };

interface Lines {
  lines: readonly HunkLine[];
}

const toLastChange = (lines: readonly HunkLine[]): number[] => {
  let distance = Infinity;
  return lines.map(({ kind }) => {
    distance = kind === 'same' ? distance + 1 : 0;
    return distance;
  });
};

/** How far each line is from the nearest change of its hunk: 0 for a change, Infinity without one. */
export const linesFromChange = (lines: readonly HunkLine[]): number[] => {
  const below = toLastChange(lines.toReversed()).toReversed();
  return toLastChange(lines).map((above, at) => Math.min(above, below[at] ?? Infinity));
};

/** How many lines around each change can be kept, so that all hunks together stay within the caps. */
export const contextThatFits = (hunks: readonly Lines[]): number => {
  const left = Array.from({ length: mostContext + 1 }, () => ({ lines: 0, characters: 0 }));
  for (const { lines } of hunks) {
    const distances = linesFromChange(lines);
    for (const [at, line] of lines.entries()) {
      const sum = left[distances[at] ?? Infinity];
      if (sum === undefined || line.kind === 'omitted') continue;
      sum.lines += 1;
      sum.characters += line.text.length;
    }
  }
  const total = { lines: 0, characters: 0 };
  const tooFar = left.findIndex(({ lines, characters }, distance) => {
    if (distance <= shownContext) return false;
    total.lines += lines;
    total.characters += characters;
    return total.lines > caps.lines || total.characters > caps.characters;
  });
  return tooFar === -1 ? mostContext : tooFar - 1;
};

/** A hunk whose place in the file is known, or not. */
interface Placed<Line extends HunkLine> {
  oldStart?: number | undefined;
  newStart?: number | undefined;
  lines: Line[];
}

/** A hunk without the lines that are farther than `context` from a change: one or several hunks. */
export const withContext = <Line extends HunkLine, One extends Placed<Line>>(
  hunk: One,
  context: number,
): One[] => {
  const kept: One[] = [];
  const distances = linesFromChange(hunk.lines);
  let [oldLine, newLine] = [hunk.oldStart, hunk.newStart];
  let isOpen = false;
  for (const [at, line] of hunk.lines.entries()) {
    const isNear = (distances[at] ?? 0) <= context;
    if (isNear && !isOpen)
      kept.push({
        ...hunk,
        ...(oldLine !== undefined && { oldStart: oldLine }),
        ...(newLine !== undefined && { newStart: newLine }),
        lines: [],
      });
    isOpen = isNear;
    if (isNear) kept.at(-1)?.lines.push(line);
    const [kind, count] = line.kind === 'omitted' ? [line.of, line.lines] : [line.kind, 1];
    if (kind !== 'added' && oldLine !== undefined) oldLine += count;
    if (kind !== 'removed' && newLine !== undefined) newLine += count;
  }
  return kept;
};
