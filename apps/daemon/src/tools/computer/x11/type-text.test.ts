import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { createTypist } from './type-text.ts';
import type { XKeyboard } from './x-keyboard.ts';

const auml = 0xe4;
const none = [0, 0];

/** Keys 10 to 12: q, and two that give nothing. */
const open = () => {
  const clock = createFakeClock();
  const rows = [
    [0x71, 0x51],
    [0, 0],
    [0, 0],
  ];
  const done: unknown[] = [];
  const keyboard: XKeyboard = {
    read: async () => ({
      firstKeycode: 10,
      rows: rows.map((row) => [...row]),
      group: 0,
    }),
    change: (changes) => {
      for (const { keycode, keysyms } of changes) rows[keycode - 10] = keysyms;
      if (changes.length > 0) done.push({ changed: changes.map(({ keycode }) => keycode) });
    },
    clear: (keycodes) => {
      for (const keycode of keycodes) rows[keycode - 10] = [0, 0];
      done.push({ cleared: keycodes });
    },
    press: async (strokes, held = []) => {
      const gives = strokes.map(({ keycode, shift }) => rows[keycode - 10]?.[shift ? 1 : 0] ?? 0);
      done.push([...held, String.fromCodePoint(...gives)].join(' + '));
    },
    handled: async () => {},
    close: async () => void done.push('closed'),
  };
  const typist = createTypist({ keyboard, clock });
  /** Types while half a second passes, as long as a change takes. */
  const type = async (text: string) => {
    const typed = typist.type(text);
    typed.catch(() => undefined);
    await clock.settle(500);
    await typed;
  };
  return { clock, rows, done, keyboard, typist, type };
};

describe('typing what the layout lacks', () => {
  it('changes keys half a second before it presses any, and not while it does', async () => {
    const { clock, done, typist } = open();
    const typed = typist.type('qäöq');
    await clock.settle(499);
    expect(done).toEqual([{ changed: [12, 11] }]);
    await clock.settle(1);
    await typed;
    await typist.type('ä');
    expect(done).toEqual([{ changed: [12, 11] }, 'qäöq', 'ä']);
  });

  it('changes and presses keys once the window has handled what came before', async () => {
    const { clock, done, keyboard, typist } = open();
    const busy = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let asked = 0;
    keyboard.handled = () => busy[(asked += 1) - 1]?.promise ?? Promise.resolve();
    const typed = typist.type('ä');
    await clock.settle(5_000);
    expect(done).toEqual([]);
    busy[0]?.resolve();
    await clock.settle(5_000);
    expect(done).toEqual([{ changed: [12] }]);
    busy[1]?.resolve();
    await typed;
    expect(done).toEqual([{ changed: [12] }, 'ä']);
  });

  it('gives a key another meaning a second after it was pressed, no sooner', async () => {
    const { clock, done, typist, type } = open();
    await type('äö');
    const typed = typist.type('üñ');
    await clock.settle(999);
    expect(done).toEqual([{ changed: [12, 11] }, 'äö']);
    await clock.settle(1);
    expect(done.slice(2)).toEqual([{ changed: [12] }]);
    await clock.settle(500);
    await typed;
    expect(done.slice(3)).toEqual(['üñ']);
  });

  it('leaves the keyboard as it was, ten seconds after the last text', async () => {
    const { clock, done, rows, type } = open();
    await type('ä');
    await clock.settle(9_999);
    expect(rows[2]).toEqual([auml, auml]);
    await type('q');
    await clock.settle(9_499);
    expect(rows[2]).toEqual([auml, auml]);
    await clock.settle(1);
    expect(rows.slice(1)).toEqual([none, none]);
    expect(done.at(-1)).toEqual({ cleared: [12] });
  });

  it('leaves the keyboard as it was after an error', async () => {
    const { clock, keyboard, rows, type } = open();
    keyboard.press = async () => Promise.reject(new Error('no'));
    await expect(type('ä')).rejects.toThrow('no');
    await clock.settle(10_000);
    expect(rows.slice(1)).toEqual([none, none]);
  });

  it('leaves the keyboard as it was when it ends', async () => {
    const { clock, done, typist, type } = open();
    await type('ä');
    await typist.close();
    expect(done.slice(2)).toEqual([{ cleared: [12] }, 'closed']);
    expect(clock.waiting()).toBe(0);
  });

  it('leaves a key alone that something else has changed since', async () => {
    const { clock, done, rows, type } = open();
    await type('ä');
    rows[2] = [0x31, 0x21];
    await type('ä');
    expect(rows).toEqual([
      [0x71, 0x51],
      [auml, auml],
      [0x31, 0x21],
    ]);
    await clock.settle(10_000);
    expect(done.at(-1)).toEqual({ cleared: [11] });
  });

  it('takes nothing back that something else has changed since', async () => {
    const { clock, rows, type } = open();
    await type('ä');
    rows[2] = [0x31, 0x21];
    await clock.settle(10_000);
    expect(rows[2]).toEqual([0x31, 0x21]);
  });

  it.each([
    ['no character', 'q\u0007', 'no key gives U+7'],
    ['half of one', 'q\ud800', 'no key gives U+d800'],
  ])('types nothing at all of a text with %s', async (_case, text, message) => {
    const { done, typist } = open();
    await expect(typist.type(text)).rejects.toThrow(message);
    expect(done).toEqual([]);
  });

  it('presses a key while others are held, and none that the keyboard does not have', async () => {
    const { done, typist, type } = open();
    await typist.tap({ key: 'q', modifiers: ['control', 'shift'] });
    await type('ä');
    await expect(typist.tap({ key: 'ä', modifiers: ['alt'] })).rejects.toThrow('this keyboard has no key ä');
    await expect(typist.tap({ key: 'f13', modifiers: [] })).rejects.toThrow('this keyboard has no key f13');
    await typist.tap({ key: 'ä', modifiers: [] });
    expect(done).toEqual(['control + shift + q', { changed: [12] }, 'ä', 'ä']);
  });

  it('has enter and tab, whatever ends a line', async () => {
    const { done, rows, typist } = open();
    rows.push([0xff0d, 0], [0xff09, 0]);
    await typist.type('q\r\nq\rq\n\t');
    expect(done).toEqual([
      [0x71, 0xff0d, 0x71, 0xff0d, 0x71, 0xff0d, 0xff09].map((one) => String.fromCodePoint(one)).join(''),
    ]);
  });
});
