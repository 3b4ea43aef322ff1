import { describe, expect, it } from 'vitest';
import { planKeys, type KeyboardState } from './key-plan.ts';

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
      'two characters on one',
      'qöß€ö',
      {},
      {
        changes: [{ keycode: 15, keysyms: [odiaeresis, euro] }],
        strokes: [plain(10), plain(15), plain(13), shifted(15), plain(15)],
        length: 5,
      },
    ],
    [
      'one character with and without shift',
      'ö',
      {},
      { changes: [{ keycode: 15, keysyms: [odiaeresis, odiaeresis] }], strokes: [plain(15)], length: 1 },
    ],
    [
      'everything where the layout is a third one',
      'q1',
      { group: 2 },
      { changes: [{ keycode: 15, keysyms: [0x71, 0x31] }], strokes: [plain(15), shifted(15)], length: 2 },
    ],
    [
      'as much as there are keys for',
      'qäöüq',
      {},
      {
        changes: [{ keycode: 15, keysyms: [0xe4, odiaeresis] }],
        strokes: [plain(10), plain(15), shifted(15)],
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

  it('cannot be done where no key is spare', () => {
    expect(() => planKeys([...'ö'], { ...us, rows: rows.slice(0, 4) }, [])).toThrow('no spare key');
  });
});
