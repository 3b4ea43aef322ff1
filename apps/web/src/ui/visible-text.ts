/** A piece of a text: as it is, or written out because the eye would not see it. */
export interface Piece {
  kind: 'plain' | 'escape';
  text: string;
}

export type Warning = 'hidden-characters' | 'mixed-scripts' | 'look-alikes';

/**
 * Characters that change or hide text without being seen: controls, line separators, bidirectional marks, zero-width
 * and other blank ones, variation selectors, tags, private use. A line feed and a tab are left to the caller.
 */
const hidden =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}\u00a0\u034f\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]/u;
const hiddenOrWide = new RegExp(`${hidden.source}| {20,}`, 'gu');

const shortNames: Record<string, string> = {
  '\t': '\\t',
  '\r': '\\r',
  '\n': '\\n',
  '\u001b': '\\e',
  '\u0000': '\\0',
};

const writtenOut = (found: string): string => {
  if (found.startsWith(' ')) return `[${found.length} spaces]`;
  return (
    shortNames[found] ?? `\\u{${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}}`
  );
};

/** The text in pieces; line feeds and tabs stay as they are, long runs of spaces are counted. */
export const piecesOf = (text: string): Piece[] => {
  const pieces: Piece[] = [];
  let from = 0;
  const plain = (until: number) => {
    if (until > from) pieces.push({ kind: 'plain', text: text.slice(from, until) });
  };
  for (const match of text.matchAll(hiddenOrWide)) {
    if (match[0] === '\n' || match[0] === '\t') continue;
    plain(match.index);
    pieces.push({ kind: 'escape', text: writtenOut(match[0]) });
    from = match.index + match[0].length;
  }
  plain(text.length);
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

/** What a person should know before believing their eyes. */
export const warningsOf = (text: string): Warning[] => {
  const warnings: Warning[] = [];
  if (piecesOf(text).some(({ kind }) => kind === 'escape')) warnings.push('hidden-characters');
  if (mixesScripts(text)) warnings.push('mixed-scripts');
  if (lookAlike.test(text)) warnings.push('look-alikes');
  return warnings;
};
