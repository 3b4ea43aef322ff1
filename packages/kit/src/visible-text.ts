/** A piece of a text as it is drawn: as it is, written out, or right-to-left letters, which need a direction of their own. */
export interface Piece {
  kind: 'plain' | 'escape' | 'right-to-left';
  text: string;
}

export type TextWarning =
  | 'hidden-characters'
  | 'right-to-left'
  | 'combining-marks'
  | 'mixed-scripts'
  | 'look-alikes'
  | 'encoded-host';

/** What a person reads about each of them, in the panel and in the terminal. */
export const warningWords: Record<TextWarning, string> = {
  'hidden-characters': 'Contains characters that are not visible; they are written out here',
  'right-to-left': 'Contains right-to-left letters; the words are shown in the order in which they run',
  'combining-marks': 'Contains letters with too many marks above or below; the marks are counted here',
  'mixed-scripts': 'A word mixes letters of different scripts',
  'look-alikes': 'Contains characters that look like others',
  'encoded-host': 'Contains an encoded host name',
};

/** Controls, separators, what has no shape of its own, lone surrogates, and the letter that looks like a blank. */
const hiddenSet = String.raw`\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800`;
/** A variation selector right after an emoji says how it is drawn: it is no hidden character. */
const notOfEmoji = String.raw`(?!(?<=(?!\p{Cn})\p{Extended_Pictographic})[\ufe0e\ufe0f])`;
const hiddenOne = `${notOfEmoji}[${hiddenSet}]`;
const hidden = new RegExp(hiddenOne, 'gu');
const hasHidden = new RegExp(String.raw`(?![\n\t])${hiddenOne}`, 'u');

/** Marks that go with any letter: no spelling needs more than three on one. */
const accent = String.raw`[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]`;
/** Beyond three of those, or beyond eight of any kind: Burmese needs six. */
const excessMarks = String.raw`(?<=${accent}{3})${accent}+|(?<=\p{M}{8})\p{M}+`;
const hasExcessMarks = new RegExp(excessMarks, 'u');

const otherSpace = String.raw`[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]`;
/** A run inside a line could push what follows out of sight; at the start of a line it is indentation. */
const runOfSpaces = String.raw`(?<=\S) {20,}`;
const writtenOut = new RegExp(
  `${hiddenOne}|${otherSpace}|(?<marks>${excessMarks})|(?<spaces>${runOfSpaces})`,
  'gu',
);

/** The blocks that Unicode gives to scripts written from right to left, with their digits and marks. */
const rightToLeftSet = String.raw`\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}`;
const rightToLeftWord = new RegExp(String.raw`([${rightToLeftSet}][${rightToLeftSet}\p{M}]*)`, 'gu');
const hasRightToLeft = new RegExp(`[${rightToLeftSet}]`, 'u');

const named: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const lineBreaks = new Set(['\n', '\t']);

const escape = (char: string): string => {
  const code = char.codePointAt(0) ?? 0;
  const name = named[char];
  if (name !== undefined) return name;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
};

/** The text with everything that an eye cannot see, or that could move what is seen, as `\x1b` or `\u{202e}`. */
export const visible = (text: string): string => text.replace(hidden, escape);

/** The same for a text of several lines: line feeds and tabs stay. */
export const visibleLines = (text: string): string =>
  text.replace(hidden, (char) => (lineBreaks.has(char) ? char : escape(char)));

const plainPieces = (text: string): Piece[] =>
  text
    .split(rightToLeftWord)
    .map((part, at): Piece => ({ kind: at % 2 === 0 ? 'plain' : 'right-to-left', text: part }))
    .filter((piece) => piece.text !== '');

const escaped = ({ 0: found, groups }: RegExpExecArray): string => {
  if (groups?.['marks'] !== undefined) return `[${[...found].length} combining marks]`;
  return groups?.['spaces'] === undefined ? escape(found) : `[${found.length} spaces]`;
};

/**
 * A text in the pieces in which it is drawn; line feeds and tabs stay in plain ones. Nothing is lost: what is not drawn as it
 * is stands as an escape, or as a count of marks or spaces.
 */
export const piecesOf = (text: string): Piece[] => {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(writtenOut)) {
    if (lineBreaks.has(match[0])) continue;
    pieces.push(...plainPieces(text.slice(from, match.index)));
    pieces.push({ kind: 'escape', text: escaped(match) });
    from = match.index + match[0].length;
  }
  pieces.push(...plainPieces(text.slice(from)));
  return pieces;
};

const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];

const mixesScripts = (text: string): boolean =>
  (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).some(
    (word) => scripts.filter((script) => script.test(word)).length > 1,
  );

/** Dashes, quotes, slashes and full-width forms that pass for the ones of ASCII. */
const lookAlike =
  /[\u2010-\u2015\u2018-\u201f\u2024\u2044\u2215\u2216\u2236\u29f8\u29f9\ufe68\uff01-\uff5e\u2160-\u217f\u{1d400}-\u{1d7ff}]/u;

const checks: readonly (readonly [TextWarning, (text: string) => boolean])[] = [
  ['hidden-characters', (text) => hasHidden.test(text)],
  ['right-to-left', (text) => hasRightToLeft.test(text)],
  ['combining-marks', (text) => hasExcessMarks.test(text)],
  ['mixed-scripts', mixesScripts],
  ['look-alikes', (text) => lookAlike.test(text)],
  ['encoded-host', (text) => /\bxn--/i.test(text)],
];

/** What a person should know before believing their eyes. */
export const warningsOf = (text: string): TextWarning[] =>
  checks.flatMap(([warning, applies]) => (applies(text) ? [warning] : []));

/** Whether the text cannot be drawn as it stands: an answer to it holds for one call. */
export const isDrawnOtherwise = (text: string): boolean =>
  hasHidden.test(text) || hasRightToLeft.test(text) || hasExcessMarks.test(text);
