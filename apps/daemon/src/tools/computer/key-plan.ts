import { characterOf, keysymOf } from './keysyms.ts';

/** The keyboard of a display at one moment. */
export interface KeyboardState {
  firstKeycode: number;
  /** Keysyms of each key: without and with shift in the first group, the same in the second, more. 0 is none. */
  rows: number[][];
  /** Which group is active, from 0. */
  group: number;
}

export interface Stroke {
  keycode: number;
  shift: boolean;
}

/** What a key gives without and with shift. */
export interface KeyChange {
  keycode: number;
  keysyms: [number, number];
}

/** How each character that one key gives, alone or with shift, is typed now. Spare keys have one group, which holds in all. */
const strokesIn = (
  { firstKeycode, rows, group }: KeyboardState,
  spares: ReadonlySet<number>,
): Map<string, Stroke> => {
  const strokes = new Map<string, Stroke>();
  rows.forEach((row, at) => {
    const keycode = firstKeycode + at;
    // Of a third group and more the table of X11 tells nothing that can be relied on.
    const first = spares.has(keycode) ? 0 : group * 2;
    if (first > 2) return;
    [false, true].forEach((shift, level) => {
      const character = characterOf(row[first + level] ?? 0);
      if (character !== undefined && !strokes.has(character)) strokes.set(character, { keycode, shift });
    });
  });
  return strokes;
};

const withChanges = (state: KeyboardState, changes: readonly KeyChange[]): KeyboardState => {
  const rows = [...state.rows];
  for (const { keycode, keysyms } of changes) rows[keycode - state.firstKeycode] = keysyms;
  return { ...state, rows };
};

const inPairs = (all: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(all.length / 2) }, (_, at) => all.slice(at * 2, at * 2 + 2));

export interface KeyPlan {
  /** To be made before the first key is pressed. */
  changes: KeyChange[];
  strokes: Stroke[];
  /** How many of the characters the strokes type. */
  length: number;
}

/**
 * How to type the beginning of a text: what the layout has by its keys, the rest by spare keys, as far as there are spare keys.
 * `used` are those that already give something of ours, the longest unused first; they are given another meaning last.
 * Throws where there is no spare key at all.
 */
export const planKeys = (
  characters: readonly string[],
  state: KeyboardState,
  used: readonly number[],
): KeyPlan => {
  const now = strokesIn(state, new Set(used));
  // The highest keycodes are those that no keyboard has.
  const free = state.rows
    .flatMap((row, at) => (row.every((keysym) => keysym === 0) ? [state.firstKeycode + at] : []))
    .filter((keycode) => !used.includes(keycode))
    .reverse();
  const isOnLayout = (character: string) => {
    const stroke = now.get(character);
    return stroke !== undefined && !used.includes(stroke.keycode);
  };
  const others: string[] = [];
  let length = 0;
  for (const character of characters) {
    if (!isOnLayout(character) && !others.includes(character)) {
      if (others.length === free.length + used.length) break;
      others.push(character);
    }
    length += 1;
  }
  const part = characters.slice(0, length);
  const needed = new Set(part.flatMap((character) => now.get(character)?.keycode ?? []));
  const spares = [...free, ...used.filter((keycode) => !needed.has(keycode))];
  const changes = inPairs(others.filter((character) => !now.has(character))).flatMap(
    ([first = '', second = first], at): KeyChange[] => {
      const [keycode, one, two] = [spares[at], keysymOf(first), keysymOf(second)];
      return keycode === undefined || one === undefined || two === undefined
        ? []
        : [{ keycode, keysyms: [one, two] }];
    },
  );
  const all = new Set([...used, ...changes.map(({ keycode }) => keycode)]);
  const strokes = strokesIn(withChanges(state, changes), all);
  const planned = part.flatMap((character) => strokes.get(character) ?? []);
  if (length === 0 || planned.length < length) throw new Error('the keyboard has no spare key for this text');
  return { changes, strokes: planned, length };
};
