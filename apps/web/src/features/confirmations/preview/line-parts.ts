import { piecesOf } from '@drawbridge/kit';

export type SyntaxKind = 'keyword' | 'string' | 'number' | 'name' | 'comment';

/** Characters of a line, the end excluded. */
export interface TextRange {
  from: number;
  to: number;
  kind?: SyntaxKind;
}

/** What a line of a preview has beside its text. */
export interface LineDetails {
  colours: readonly TextRange[];
  marks: readonly TextRange[];
}

export interface LinePart {
  text: string;
  kind: SyntaxKind | undefined;
  isMarked: boolean;
}

/** A line in coloured parts; null if it has characters that must be written out. */
export const partsOf = (text: string, { colours, marks }: LineDetails): LinePart[] | null => {
  const pieces = piecesOf(text);
  if (pieces.some(({ kind }) => kind !== 'plain') || pieces.map((piece) => piece.text).join('') !== text)
    return null;
  const ends = [...colours, ...marks].flatMap(({ from, to }) => [from, to]);
  const cuts = [...new Set([0, ...ends, text.length])]
    .filter((at) => at >= 0 && at <= text.length)
    .toSorted((a, b) => a - b);
  return cuts.slice(0, -1).map((from, index) => ({
    text: text.slice(from, cuts[index + 1]),
    kind: colours.find((range) => range.from <= from && from < range.to)?.kind,
    isMarked: marks.some((range) => range.from <= from && from < range.to),
  }));
};
