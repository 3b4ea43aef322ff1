import fc from 'fast-check';
import { expect, it } from 'vitest';
import { piecesOf, warningsOf } from './visible-text.ts';

const shown = (text: string) =>
  piecesOf(text)
    .map(({ kind, text: part }) => (kind === 'escape' ? `<${part}>` : part))
    .join('');

it.each([
  ['plain text', 'src/a.txt', 'src/a.txt'],
  ['line feeds and tabs', 'a\n\tb', 'a\n\tb'],
  ['a carriage return', 'a\rb', 'a<\\r>b'],
  ['an escape sequence', '\u001b[8mhidden', '<\\e>[8mhidden'],
  ['a C1 control', 'a\u009bb', 'a<\\u{009B}>b'],
  ['a bell and a backspace', '\u0007\b', '<\\u{0007}><\\u{0008}>'],
  ['right-to-left override', 'a\u202egpj.exe', 'a<\\u{202E}>gpj.exe'],
  ['isolates', '\u2066a\u2069', '<\\u{2066}>a<\\u{2069}>'],
  ['direction marks', '\u200e\u200f\u061c', '<\\u{200E}><\\u{200F}><\\u{061C}>'],
  [
    'zero-width',
    'r\u200bm\u200c\u200d\u2060\ufeff',
    'r<\\u{200B}>m<\\u{200C}><\\u{200D}><\\u{2060}><\\u{FEFF}>',
  ],
  ['soft hyphen', 'a\u00adb', 'a<\\u{00AD}>b'],
  ['variation selectors', 'a\ufe0f\u{e0101}', 'a<\\u{FE0F}><\\u{E0101}>'],
  ['tag characters', 'a\u{e0041}\u{e007f}', 'a<\\u{E0041}><\\u{E007F}>'],
  ['fillers and blanks', '\u3164\u115f\u2800\uffa0', '<\\u{3164}><\\u{115F}><\\u{2800}><\\u{FFA0}>'],
  ['other spaces', 'a\u00a0b\u3000c', 'a<\\u{00A0}>b<\\u{3000}>c'],
  ['line and paragraph separators', 'a\u2028b\u2029', 'a<\\u{2028}>b<\\u{2029}>'],
  ['a lone surrogate', 'a\ud800b', 'a<\\u{D800}>b'],
  ['a long run of spaces', `ls${' '.repeat(5000)}; rm -rf ~`, 'ls<[5000 spaces]>; rm -rf ~'],
  ['letters of other scripts', 'naïve 日本語 русский', 'naïve 日本語 русский'],
  ['markup', '<b>&amp;</b>', '<b>&amp;</b>'],
])('CF-18 shows %s', (_what, text, expected) => {
  expect(shown(text)).toBe(expected);
});

it('writes out what is hidden and nothing else, and loses nothing', () => {
  const hidden = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}]/u;
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const pieces = piecesOf(text);
      const plain = pieces.filter(({ kind }) => kind === 'plain').map((piece) => piece.text);
      expect(plain.filter((part) => hidden.test(part.replaceAll(/[\n\t]/g, '')))).toEqual([]);
      let rest = text;
      for (const part of plain) rest = rest.slice(rest.indexOf(part) + part.length);
      expect(plain.join('').length).toBeLessThanOrEqual(text.length);
    }),
  );
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
])('CF-18 CF-19 warns of %s', (_what, text, expected) => {
  expect(warningsOf(text)).toEqual(expected);
});
