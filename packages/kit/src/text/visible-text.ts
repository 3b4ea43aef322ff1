/** A displayed piece: unchanged, escaped, or right-to-left letters, which need their own direction. */
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
  | 'own-name'
  | 'encoded-host';

/** The warnings in words, for the panel and the terminal. */
export const warningWords: Record<TextWarning, string> = {
  'hidden-characters': 'Contains invisible characters; they are written out here',
  'right-to-left': 'Contains right-to-left letters; the words are shown in their logical order',
  'combining-marks': 'Contains letters with too many marks above or below; the marks are counted here',
  'mixed-scripts': 'A word mixes letters of different scripts',
  'look-alikes': 'Contains characters that look like other characters',
  'own-name': 'Uses the name of Drawbridge, but is another program',
  'encoded-host': 'Contains an encoded host name',
};

/** Controls, separators, invisible characters, lone surrogates, and the blank Braille pattern. */
const hiddenSet = String.raw`\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800`;
/** A variation selector right after an emoji is not a hidden character. */
const notOfEmoji = String.raw`(?!(?<=(?!\p{Cn})\p{Extended_Pictographic})[\ufe0e\ufe0f])`;
const hiddenOne = `${notOfEmoji}[${hiddenSet}]`;
const hidden = new RegExp(hiddenOne, 'gu');
const hasHidden = new RegExp(String.raw`(?![\n\t])${hiddenOne}`, 'u');

/** Marks that combine with any letter; no spelling needs more than three on one. */
const accent = String.raw`[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]`;
/** Beyond three of those, or beyond eight of any kind: Burmese needs six. */
const excessMarks = String.raw`(?<=${accent}{3})${accent}+|(?<=\p{M}{8})\p{M}+`;
const hasExcessMarks = new RegExp(excessMarks, 'u');

const otherSpace = String.raw`[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]`;
/** A run inside a line could hide the text after it; at the start of a line it is indentation. */
const runOfSpaces = String.raw`(?<=\S) {20,}`;
const writtenOut = new RegExp(
  `${hiddenOne}|${otherSpace}|(?<marks>${excessMarks})|(?<spaces>${runOfSpaces})`,
  'gu',
);

/** One drawn emoji: with its colour, and joined to others. */
const emoji = String.raw`\p{Extended_Pictographic}[\ufe0e\ufe0f\u{1f3fb}-\u{1f3ff}]?`;
/** The flags of England, Scotland and Wales are written with tags. */
const flags = ['gbeng', 'gbsct', 'gbwls']
  .map((place) =>
    [...place].map((char) => String.raw`\u{e00${char.codePointAt(0)?.toString(16) ?? ''}}`).join(''),
  )
  .join('|');
/** Scripts whose spelling needs joiners between two of their letters. */
const joining = ['Arabic', 'Syriac', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya']
  .concat(['Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Myanmar', 'Khmer'])
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('');
const ordinary = [
  String.raw`\u{1f3f4}(?:${flags})\u{e007f}`,
  String.raw`${emoji}(?:\u200d${emoji}){0,8}`,
  String.raw`[0-9#*]\ufe0f\u20e3`,
  String.raw`(?<=[${joining}]\p{M}{0,4})[\u200c\u200d](?=[${joining}])`,
].join('|');
const writtenOutInContent = new RegExp(
  `(?<ordinary>${emoji}(?:\\u200d${emoji}){1,8})|${writtenOut.source}`,
  'gu',
);
const writtenOutInProse = new RegExp(`(?<ordinary>${ordinary})|${hiddenOne}|(?<marks>${excessMarks})`, 'gu');

/** The Unicode blocks of right-to-left scripts, with their digits and marks. */
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

/** Escapes invisible and direction-changing characters as `\x1b` or `\u{202e}`. */
export const visible = (text: string): string => text.replace(hidden, escape);

/** Like `visible`, but keeps line feeds and tabs. */
export const visibleLines = (text: string): string =>
  text.replace(hidden, (char) => (lineBreaks.has(char) ? char : escape(char)));

const lineEnds = new Set(['\n', '\t', '\r']);

/** Removes invisible and direction-changing characters but line ends and tabs, and counts them. */
export const withoutHidden = (text: string): { text: string; removed: number } => {
  let removed = 0;
  const rest = text.replace(hidden, (char) => {
    if (lineEnds.has(char)) return char;
    removed += 1;
    return '';
  });
  return { text: rest, removed };
};

const plainPieces = (text: string): Piece[] =>
  text
    .split(rightToLeftWord)
    .map((part, at): Piece => ({ kind: at % 2 === 0 ? 'plain' : 'right-to-left', text: part }))
    .filter((piece) => piece.text !== '');

const escaped = ({ 0: found, groups }: RegExpExecArray): string => {
  if (groups?.['marks'] !== undefined) return `[${[...found].length} combining marks]`;
  return groups?.['spaces'] === undefined ? escape(found) : `[${found.length} spaces]`;
};

const split = (text: string, pattern: RegExp, plain: (part: string) => Piece[]): Piece[] => {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (lineBreaks.has(match[0]) || match.groups?.['ordinary'] !== undefined) continue;
    pieces.push(...plain(text.slice(from, match.index)));
    pieces.push({ kind: 'escape', text: escaped(match) });
    from = match.index + match[0].length;
  }
  pieces.push(...plain(text.slice(from)));
  return pieces;
};

/**
 * Splits a text into displayed pieces. Line feeds and tabs stay in plain ones. Nothing is dropped: hidden
 * text becomes an escape, or a count of marks or spaces.
 */
export const piecesOf = (text: string): Piece[] => split(text, writtenOut, plainPieces);

/** The same for the content of a file, in which joined emoji stay as they are. */
export const contentPiecesOf = (text: string): Piece[] => split(text, writtenOutInContent, plainPieces);

/**
 * The same for a text that is read and not decided on, such as an answer: joined emoji, joiners inside words
 * of scripts that need them, all spaces and right-to-left words stay as they are.
 */
export const prosePiecesOf = (text: string): Piece[] =>
  split(text, writtenOutInProse, (part) => (part === '' ? [] : [{ kind: 'plain', text: part }]));

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

/** Dashes, quotes, slashes and full-width forms that look like ASCII. */
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

export const warningsOf = (text: string): TextWarning[] =>
  checks.flatMap(([warning, applies]) => (applies(text) ? [warning] : []));

const joinedEmoji = new RegExp(`${emoji}(?:\\u200d${emoji}){1,8}`, 'gu');

/** The warnings about the content of a file, in which emoji may be joined and spaces may not break. */
export const contentWarningsOf = (text: string): TextWarning[] => warningsOf(text.replace(joinedEmoji, ''));

/** Whether the text is not displayed unchanged, so that an answer to it may apply to one call only. */
export const isDrawnOtherwise = (text: string): boolean =>
  hasHidden.test(text) || hasRightToLeft.test(text) || hasExcessMarks.test(text);
