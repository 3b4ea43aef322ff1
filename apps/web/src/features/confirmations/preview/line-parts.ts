import { contentPiecesOf } from '@drawbridge/kit';

export type SyntaxKind = 'keyword' | 'string' | 'number' | 'name' | 'comment';

export const syntaxClasses: Record<SyntaxKind, string> = {
  keyword: 'text-violet-800 dark:text-violet-300',
  string: 'text-emerald-800 dark:text-emerald-300',
  number: 'text-orange-800 dark:text-orange-300',
  name: 'text-sky-800 dark:text-sky-300',
  comment: 'text-muted',
};

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
  /** Of a long part that both lines have: the place of its first character, by which it opens. */
  fold?: number;
}

/** A longer text that both lines have is folded, in characters. */
const maxUnfolded = 200;
/** What stays of it at both ends. */
const shownEnds = 60;

/** Never between the two halves of a character. */
const wholeCut = (text: string, at: number): number =>
  /[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at;

/** Long texts between the marks; none in a line without marks, which is nothing but new or old. */
const foldsOf = (text: string, marks: readonly TextRange[]): TextRange[] => {
  if (marks.length === 0) return [];
  const sorted = [{ from: 0, to: 0 }, ...marks, { from: text.length, to: text.length }].toSorted(
    (a, b) => a.from - b.from,
  );
  return sorted.slice(1).flatMap(({ from: next }, at) => {
    const from = sorted[at]?.to ?? 0;
    if (next - from <= maxUnfolded) return [];
    return [{ from: wholeCut(text, from + shownEnds), to: wholeCut(text, next - shownEnds) }];
  });
};

/** A line in coloured parts; null if it has characters that must be written out. */
export const partsOf = (text: string, { colours, marks }: LineDetails): LinePart[] | null => {
  const pieces = contentPiecesOf(text);
  if (pieces.some(({ kind }) => kind !== 'plain') || pieces.map((piece) => piece.text).join('') !== text)
    return null;
  const folds = foldsOf(text, marks);
  const ends = [...colours, ...marks, ...folds].flatMap(({ from, to }) => [from, to]);
  const cuts = [...new Set([0, ...ends, text.length])]
    .filter((at) => at >= 0 && at <= text.length)
    .toSorted((a, b) => a - b);
  return cuts.slice(0, -1).map((from, index) => {
    const holds = (range: TextRange) => range.from <= from && from < range.to;
    const fold = folds.find(holds)?.from;
    return {
      text: text.slice(from, cuts[index + 1]),
      kind: colours.find(holds)?.kind,
      isMarked: marks.some(holds),
      ...(fold !== undefined && { fold }),
    };
  });
};
