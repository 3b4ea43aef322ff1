import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  isDrawnOtherwise,
  contentPiecesOf,
  contentWarningsOf,
  piecesOf,
  visible,
  visibleLines,
  warningsOf,
  withoutHidden,
  type Piece,
} from './visible-text.ts';

const shown = (text: string) =>
  piecesOf(text)
    .map(({ kind, text: part }) => (kind === 'escape' ? `<${part}>` : part))
    .join('');

it.each([
  ['plain text', 'src/a.txt', 'src/a.txt'],
  ['line feeds and tabs', 'a\n\tb', 'a\n\tb'],
  ['a carriage return', 'a\rb', 'a<\\r>b'],
  ['an escape sequence', '\u001b[8mhidden', '<\\x1b>[8mhidden'],
  ['a C1 control', 'a\u009bb', 'a<\\x9b>b'],
  ['a bell and a backspace', '\u0007\b', '<\\x07><\\x08>'],
  ['right-to-left override', 'a\u202egpj.exe', 'a<\\u{202e}>gpj.exe'],
  ['isolates', '\u2066a\u2069', '<\\u{2066}>a<\\u{2069}>'],
  ['direction marks', '\u200e\u200f\u061c', '<\\u{200e}><\\u{200f}><\\u{61c}>'],
  [
    'zero-width',
    'r\u200bm\u200c\u200d\u2060\ufeff',
    'r<\\u{200b}>m<\\u{200c}><\\u{200d}><\\u{2060}><\\u{feff}>',
  ],
  ['soft hyphen', 'a\u00adb', 'a<\\xad>b'],
  ['variation selectors', 'a\ufe0f\u{e0101}', 'a<\\u{fe0f}><\\u{e0101}>'],
  ['the variation selector of an emoji', '\u2764\ufe0f\ufe0f', '\u2764\ufe0f<\\u{fe0f}>'],
  ['that of another character', 'a\ufe0f1\ufe0f', 'a<\\u{fe0f}>1<\\u{fe0f}>'],
  ['what joins emoji', '\u{1f468}\u200d\u{1f469}', '\u{1f468}<\\u{200d}>\u{1f469}'],
  ['tag characters', 'a\u{e0041}\u{e007f}', 'a<\\u{e0041}><\\u{e007f}>'],
  ['fillers and blanks', '\u3164\u115f\u2800\uffa0', '<\\u{3164}><\\u{115f}><\\u{2800}><\\u{ffa0}>'],
  ['other spaces', 'a\u00a0b\u3000c', 'a<\\xa0>b<\\u{3000}>c'],
  ['line and paragraph separators', 'a\u2028b\u2029', 'a<\\u{2028}>b<\\u{2029}>'],
  ['a lone surrogate', 'a\ud800b', 'a<\\u{d800}>b'],
  ['a long run of spaces', `ls${' '.repeat(5000)}; rm -rf ~`, 'ls<[5000 spaces]>; rm -rf ~'],
  ['letters of other scripts', 'naïve 日本語 русский', 'naïve 日本語 русский'],
  ['markup', '<b>&amp;</b>', '<b>&amp;</b>'],
])('CF-18 shows %s', (_what, text, expected) => {
  expect(shown(text)).toBe(expected);
});

/** How much of the text a piece stands for; undefined where it is not what stands there. */
const lengthOf = ({ kind, text }: Piece, rest: string): number | undefined => {
  if (kind !== 'escape') return rest.startsWith(text) ? text.length : undefined;
  const count = Number(/^\[(\d+) (?:spaces|combining marks)\]$/.exec(text)?.[1] ?? 0);
  if (count > 0) return [...rest].slice(0, count).join('').length;
  const char = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  return visible(char) === text || visible(char) === char ? char.length : undefined;
};

it('writes out what is hidden and nothing else, and loses nothing', () => {
  const hidden = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}]/u;
  const tricky = fc.constantFrom('\u0301', '\u05d0', ' '.repeat(25), '\u202e', 'a', '\n', '\u00a0', '\u0627');
  const text = fc.array(fc.oneof(tricky, fc.string({ unit: 'binary' })), { maxLength: 30 });
  fc.assert(
    fc.property(text, (parts) => {
      const whole = parts.join('');
      let at = 0;
      for (const piece of piecesOf(whole)) {
        if (piece.kind !== 'escape' && hidden.test(piece.text.replaceAll(/[\n\t]/g, ''))) return false;
        at += lengthOf(piece, whole.slice(at)) ?? Number.NaN;
      }
      return at === whole.length;
    }),
  );
});

const kindsOf = (text: string) => piecesOf(text).map((piece) => [piece.kind, piece.text]);

it('DR-01 right-to-left words stand apart, each with its marks and digits', () => {
  expect(kindsOf('rm \u05d0\u05d1\u0301 \u0627\u0628-12 \u0663 x')).toEqual([
    ['plain', 'rm '],
    ['right-to-left', '\u05d0\u05d1\u0301'],
    ['plain', ' '],
    ['right-to-left', '\u0627\u0628'],
    ['plain', '-12 '],
    ['right-to-left', '\u0663'],
    ['plain', ' x'],
  ]);
});

it.each([
  ['300 accents on a letter', `a${'\u0301'.repeat(300)}b`, 'a\u0301\u0301\u0301<[297 combining marks]>b'],
  [
    '300 marks of a script',
    `\u0e01${'\u0e34'.repeat(300)}`,
    `\u0e01${'\u0e34'.repeat(8)}<[292 combining marks]>`,
  ],
  [
    '300 accents on a Hebrew letter',
    `\u05d0${'\u0301'.repeat(300)}`,
    '\u05d0\u0301\u0301\u0301<[297 combining marks]>',
  ],
  [
    'marks that spellings need',
    'ti\u1ebf\u0302\u0301ng \u1000\u103c\u103d\u103e\u102d\u102f\u1037',
    'ti\u1ebf\u0302\u0301ng \u1000\u103c\u103d\u103e\u102d\u102f\u1037',
  ],
])('DR-02 draws %s', (_what, text, expected) => {
  expect(shown(text)).toBe(expected);
});

it('in a file, joined emoji are no warning; a joiner elsewhere is', () => {
  const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
  expect(contentPiecesOf(`a ${family} b`)).toEqual([{ kind: 'plain', text: `a ${family} b` }]);
  expect(contentWarningsOf(family)).toEqual([]);
  expect(piecesOf(family).some(({ kind }) => kind === 'escape')).toBe(true);
  for (const hidden of [`a\u200db`, `${family}\u200d`, `\u200d${family}`]) {
    expect(contentPiecesOf(hidden).some(({ kind }) => kind === 'escape')).toBe(true);
    expect(contentWarningsOf(hidden)).toEqual(['hidden-characters']);
  }
});

it('keeps indentation, and the lines and tabs of a text of several lines', () => {
  const text = `${' '.repeat(40)}deep\n${' '.repeat(40)}\tdeep`;
  expect(shown(text)).toBe(text);
  expect(visibleLines('a\n\tb\r\u0000')).toBe('a\n\tb\\r\\x00');
  expect(visible('a\n\tb')).toBe('a\\n\\tb');
});

it.each([
  ['plain', '/home/ada/a.txt', []],
  ['another script alone', '/home/ада/файл', []],
  ['a Cyrillic letter in a Latin word', 'p\u0430ypal.com', ['mixed-scripts']],
  ['a Greek letter in a Latin word', 'l\u03bfcalhost', ['mixed-scripts']],
  ['a full-width slash', 'a\uff0fb', ['look-alikes']],
  ['a dash that is not a hyphen', 'rm \u2010rf', ['look-alikes']],
  ['a Roman numeral for letters', '\u217fs', ['look-alikes']],
  ['a hidden character', 'a\u200bb', ['hidden-characters']],
  ['a right-to-left word without a mark', 'rm \u05d0\u05d1', ['right-to-left']],
  ['a pile of marks', `a${'\u0301'.repeat(4)}`, ['combining-marks']],
  ['an encoded host', 'xn--80ak6aa92e.com', ['encoded-host']],
])('CF-18 CF-19 warns of %s', (_what, text, expected) => {
  expect(warningsOf(text)).toEqual(expected);
});

it.each([
  ['letters of any script', 'größe 東京 Привет\n\tx\u00a0y', false],
  ['what hides', 'a\u200bb', true],
  ['DR-01 right-to-left letters', '\u0627', true],
  ['DR-02 a pile of marks', `a${'\u0301'.repeat(4)}`, true],
])('%s can be drawn only otherwise: %s', (_what, text, otherwise) => {
  expect(isDrawnOtherwise(text)).toBe(otherwise);
});

it('removes and counts hidden characters, and keeps line ends and the letters of all scripts', () => {
  expect(withoutHidden('a\u200b\u202eb\u{e0041}\u001b[1m\r\n\tпривет 日本\u3000語 \u2764\ufe0f')).toEqual({
    text: 'ab[1m\r\n\tпривет 日本\u3000語 \u2764\ufe0f',
    removed: 4,
  });
});
