import x11 from 'x11';

const unicode = 0x0100_0000;
const named = new Map([
  ['\n', 0xff0d],
  ['\t', 0xff09],
]);

/** What X11 calls a character on a key, or undefined where it has no name for it. */
export const keysymOf = (character: string): number | undefined => {
  const point = character.codePointAt(0) ?? 0;
  if ((point >= 0x20 && point <= 0x7e) || (point >= 0xa0 && point <= 0xff)) return point;
  if (point < 0x100 || (point >= 0xd800 && point <= 0xdfff)) return named.get(character);
  return unicode + point;
};

/** The names from before Unicode. A description that begins `(ж)` means that very character; others only a likeness. */
const characters = new Map([
  ...Object.values(x11.keySyms).flatMap(({ code, description }): [number, string][] => {
    const [, character] = /^\((.)\)/u.exec(description ?? '') ?? [];
    return character === undefined ? [] : [[code, character]];
  }),
  ...[...named].map(([character, keysym]): [number, string] => [keysym, character]),
]);

/** Which character a key with this keysym types. */
export const characterOf = (keysym: number): string | undefined =>
  keysym >= unicode + 0x100 && keysym <= unicode + 0x10_ffff
    ? String.fromCodePoint(keysym - unicode)
    : characters.get(keysym);
