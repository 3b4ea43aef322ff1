import { keysymOf, symbolOf } from './keysyms.ts';

export interface KeyboardState {
  firstKeycode: number;
  /** Keysyms of each key: without and with shift in group one, then group two. 0 is no keysym. */
  rows: number[][];
  /** Which group is active, from 0. */
  group: number;
}

export interface Stroke {
  keycode: number;
  shift: boolean;
}

export interface KeyChange {
  keycode: number;
  keysyms: [number, number];
}

const keypad = { first: 0xff80, last: 0xffbd };

/** How each symbol of one key, alone or with shift, is typed now. Spare keys have one group, valid in all. */
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
    [false, true].forEach((isShifted, level) => {
      const keysym = row[first + level] ?? 0;
      const symbol = symbolOf(keysym);
      // A key of the keypad is one key: num lock says what it gives.
      const isKeypad = keysym >= keypad.first && keysym <= keypad.last;
      if (symbol !== undefined && !strokes.has(symbol))
        strokes.set(symbol, { keycode, shift: isShifted && !isKeypad });
    });
  });
  return strokes;
};

/** The key for a symbol in the active group, or else another one. Spare keys do not count. */
export const findKey = (
  symbol: string,
  { firstKeycode, rows, group }: KeyboardState,
  used: readonly number[],
): Stroke | undefined => {
  const real = rows.map((row, at) => (used.includes(firstKeycode + at) ? [] : row));
  return [group, 0, 1]
    .map((layout) => strokesIn({ firstKeycode, rows: real, group: layout }, new Set()).get(symbol))
    .find((stroke) => stroke !== undefined);
};

const withChanges = (state: KeyboardState, changes: readonly KeyChange[]): KeyboardState => {
  const rows = [...state.rows];
  for (const { keycode, keysyms } of changes) rows[keycode - state.firstKeycode] = keysyms;
  return { ...state, rows };
};

const inGroups = (all: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

/**
 * How to type the first symbols of a row: by the layout, the rest by spare keys as far as they go.
 * `used` are our spare keys, the longest unused first. Throws where there is no spare key at all.
 */
export const planKeys = (symbols: readonly string[], state: KeyboardState, used: readonly number[]) => {
  const known = strokesIn(state, new Set(used));
  // The highest keycodes are those that no keyboard has.
  const free = state.rows
    .flatMap((row, at) => (row.every((keysym) => keysym === 0) ? [state.firstKeycode + at] : []))
    .filter((keycode) => !used.includes(keycode))
    .reverse();
  const isOnLayout = (symbol: string) => {
    const stroke = known.get(symbol);
    return stroke !== undefined && !used.includes(stroke.keycode);
  };
  const others: string[] = [];
  let length = 0;
  for (const symbol of symbols) {
    if (!isOnLayout(symbol) && !others.includes(symbol)) {
      if (others.length === free.length + used.length) break;
      others.push(symbol);
    }
    length += 1;
  }
  const part = symbols.slice(0, length);
  const needed = new Set(part.flatMap((symbol) => known.get(symbol)?.keycode ?? []));
  const spares = [...free, ...used.filter((keycode) => !needed.has(keycode))];
  const missing = others.filter((symbol) => !known.has(symbol));
  // One to a key where there is room, so that nothing hangs on shift.
  const changes = inGroups(missing, missing.length <= free.length ? 1 : 2).flatMap(
    ([first = '', second = first], at): KeyChange[] => {
      const [keycode, one, two] = [spares[at], keysymOf(first), keysymOf(second)];
      return keycode === undefined || one === undefined || two === undefined
        ? []
        : [{ keycode, keysyms: [one, two] }];
    },
  );
  const all = new Set([...used, ...changes.map(({ keycode }) => keycode)]);
  const strokes = strokesIn(withChanges(state, changes), all);
  const planned = part.flatMap((symbol) => strokes.get(symbol) ?? []);
  if (length === 0 || planned.length < length) throw new Error('the keyboard has no spare key for this text');
  return { changes, strokes: planned, length };
};
