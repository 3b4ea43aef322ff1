import x11 from 'x11';
import { namedKeys } from './key-names.ts';

const unicode = 0x0100_0000;
const named = new Map(Object.entries(namedKeys));
const otherNames = new Map([
  ['\n', 'enter'],
  ['\t', 'tab'],
  ['space', ' '],
]);

/** A character, or the name of a key that types none; one symbol for all its names. */
export const toSymbol = (name: string): string => otherNames.get(name) ?? name;

export const keysymOf = (symbol: string): number | undefined => {
  const point = symbol.codePointAt(0) ?? 0;
  if (named.has(symbol)) return named.get(symbol);
  if ((point >= 0x20 && point <= 0x7e) || (point >= 0xa0 && point <= 0xff)) return point;
  return point < 0x100 || (point >= 0xd800 && point <= 0xdfff) ? undefined : unicode + point;
};

/** Key names and characters from before Unicode. `(ж)` at the start of a description means that character. */
const symbols = new Map([
  ...[...named].map(([name, keysym]): [number, string] => [keysym, name]),
  ...Object.values(x11.keySyms).flatMap(({ code, description }): [number, string][] => {
    const [, character] = /^\((.)\)/u.exec(description ?? '') ?? [];
    return character === undefined ? [] : [[code, character]];
  }),
]);

export const symbolOf = (keysym: number): string | undefined =>
  keysym >= unicode + 0x100 && keysym <= unicode + 0x10_ffff
    ? String.fromCodePoint(keysym - unicode)
    : symbols.get(keysym);
