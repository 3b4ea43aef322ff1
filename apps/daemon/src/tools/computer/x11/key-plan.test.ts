import { describe, expect, it } from 'vitest';
import { findKey, planKeys, type KeyboardState, type KeyChange } from './key-plan.ts';

const [odiaeresis, ssharp, euro] = [0xf6, 0xdf, 0x0100_20ac];
const [zhe, euroSign] = [0x06d6, 0x20ac];

/** Keys from 10 on: q, 1 and !, a key of a second layout, ß, nothing, nothing. */
const rows = [
  [0x71, 0x51, 0x71, 0x51],
  [0x31, 0x21, 0x31, 0x21],
  [0x79, 0x59, zhe, 0x06f6],
  [ssharp, 0x3f, ssharp, euroSign],
  [0, 0, 0, 0],
  [0, 0, 0, 0],
];
const us: KeyboardState = { firstKeycode: 10, rows, group: 0 };
const plain = (keycode: number) => ({ keycode, shift: false });
const single = (keycode: number, keysym: number): KeyChange => ({ keycode, keysyms: [keysym, keysym] });
const shifted = (keycode: number) => ({ keycode, shift: true });

describe('typing by keys', () => {
  it.each<[string, string, Partial<KeyboardState>, ReturnType<typeof plain>[]]>([
    ['what keys give', 'q1y', {}, [plain(10), plain(11), plain(12)]],
    ['what they give with shift', 'Q!?', {}, [shifted(10), shifted(11), shifted(13)]],
    [
      'a second layout, by names from before Unicode',
      'жЖ€',
      { group: 1 },
      [plain(12), shifted(12), shifted(13)],
    ],
  ])('takes %s', (_case, text, state, strokes) => {
    expect(planKeys([...text], { ...us, ...state }, [])).toEqual({
      changes: [],
      strokes,
      length: text.length,
    });
  });

  it.each<[string, string, Partial<KeyboardState>, ReturnType<typeof planKeys>]>([
    [
      'what it lacks, one to a key',
      'qöß€ö',
      {},
      {
        changes: [single(15, odiaeresis), single(14, euro)],
        strokes: [plain(10), plain(15), plain(13), plain(14), plain(15)],
        length: 5,
      },
    ],
    [
      'everything where the layout is a third one',
      'q1',
      { group: 2 },
      { changes: [single(15, 0x71), single(14, 0x31)], strokes: [plain(15), plain(14)], length: 2 },
    ],
    [
      'as much as there are keys for',
      'qäöüq',
      {},
      {
        changes: [single(15, 0xe4), single(14, odiaeresis)],
        strokes: [plain(10), plain(15), plain(14)],
        length: 3,
      },
    ],
  ])('puts on spare keys %s', (_case, text, state, plan) => {
    expect(planKeys([...text], { ...us, ...state }, [])).toEqual(plan);
  });

  it('takes what is on spare keys already, and gives the longest unused another meaning', () => {
    const taken = { ...us, rows: [...rows.slice(0, 4), [odiaeresis, euro], [0xe4, 0xfc]] };
    expect(planKeys([...'€ñ'], taken, [14, 15])).toEqual({
      changes: [{ keycode: 15, keysyms: [0xf1, 0xf1] }],
      strokes: [shifted(14), plain(15)],
      length: 2,
    });
    expect(planKeys(['ñ'], taken, [15, 14]).changes).toEqual([{ keycode: 15, keysyms: [0xf1, 0xf1] }]);
  });

  it('puts two on one spare key where there are too few', () => {
    const taken = { ...us, rows: [...rows.slice(0, 5), [odiaeresis, euro]] };
    expect(planKeys([...'ñç'], taken, [15])).toEqual({
      changes: [{ keycode: 14, keysyms: [0xf1, 0xe7] }],
      strokes: [plain(14), shifted(14)],
      length: 2,
    });
  });

  it('knows keys by their names, those of the keypad by one of their two', () => {
    const [left, four, add, enter] = [0xff96, 0xffb4, 0xffab, 0xff0d];
    const more = { ...us, rows: [...rows.slice(0, 5), [left, four], [add, add], [enter, 0]] };
    expect(['enter', 'numpad_+', 'numpad_4', 'f13'].map((name) => findKey(name, more, []))).toEqual([
      plain(17),
      plain(16),
      plain(15),
      undefined,
    ]);
  });

  it('finds the key of a shortcut in any layout, and never on a spare key', () => {
    const taken = { ...us, rows: [[odiaeresis, 0x31], ...rows.slice(1)] };
    expect(findKey('y', { ...us, group: 1 }, [])).toEqual(plain(12));
    expect(findKey('1', { ...taken, group: 2 }, [10])).toEqual(plain(11));
    expect(findKey('ö', taken, [10])).toBe(undefined);
  });

  it('cannot be done where no key is spare', () => {
    expect(() => planKeys([...'ö'], { ...us, rows: rows.slice(0, 4) }, [])).toThrow('no spare key');
  });
});
