import { expect, it } from 'vitest';
import { escapeLetters } from './short-code.ts';

/** What the code gives, which is the body of a function. */
const resultOf = (code: string): unknown => new Function(code)();

it.each([
  ["return 'é → 👍\\n…'", 'é → 👍\n…'],
  ['return `“${1 + 1}” 漢`', '“2” 漢'],
  ["return 'a–b • c'.split(/[–•]/)", ['a', 'b ', ' c']],
  ["return '👍x❤'.replace(/[👍❤]/gu, '-')", '-x-'],
  ["return '👍'.match(/^.$/u) !== null && /\\–/.test('–')", true],
  ["return '\\\\–'", '\\–'],
  ['const größe = { ä: 1 }; return größe.ä', 1],
])('%s gives the same in ASCII', (code, expected) => {
  const escaped = escapeLetters(code, []);
  expect(escaped).not.toMatch(/[\u0080-\uFFFF]/);
  expect(resultOf(escaped)).toEqual(expected);
});

it('a letter stays where a function sees how it is written', () => {
  const code = "return String.raw`–` + '–'";
  const at = code.indexOf('`');
  const escaped = escapeLetters(code, [{ start: at, end: at + 3 }]);
  expect(escaped).toBe("return String.raw`–` + '\\u2013'");
  expect(resultOf(escaped)).toBe('––');
});
