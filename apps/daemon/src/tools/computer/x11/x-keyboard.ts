import { systemClock, type Clock } from '@drawbridge/kit';
import x11, { type Answer, type Display, type Xtest } from 'x11';
import { namedKeys } from './key-names.ts';
import type { KeyChange, Stroke } from './key-plan.ts';
import { createWindowPing } from './window-ping.ts';

const capsMask = 2;
const groupShift = 13;
/** Before a key goes down, and before it goes up. */
const strokeMs = 4;

const connect = (): Promise<Display> =>
  new Promise((resolve, reject) => {
    const client = x11.createClient({ shm: false }, (error, display) => {
      if (error) reject(error);
      else resolve(display);
    });
    client.on('error', reject);
  });

/** The keyboard of an X11 display. Rejects with the error of the display, also when it goes away. */
export const openKeyboard = async (clock: Clock = systemClock) => {
  const { client, min_keycode: firstKeycode, max_keycode: lastKeycode, screen } = await connect();
  const waiting = new Set<(error: Error) => void>();
  const fail = (error: Error) => {
    for (const reject of waiting) reject(error);
    waiting.clear();
  };
  client.on('error', fail);
  client.on('end', () => fail(new Error('the display went away')));

  const ask = <T>(request: (answer: Answer<T>) => void): Promise<T> =>
    new Promise((resolve, reject) => {
      waiting.add(reject);
      request((error, value) => {
        waiting.delete(reject);
        if (error) reject(error);
        else resolve(value);
        return true;
      });
    });

  const root = screen[0]?.root ?? 0;
  const handled = await createWindowPing({ client, root, ask, clock });
  const xtest = await ask<Xtest>((answer) => client.require('xtest', answer));
  const keys = new Map<number, number>();

  const pointer = () => ask<{ keyMask: number }>((answer) => client.QueryPointer(root, answer));
  const send = (type: number, keycode: number) => xtest.FakeInput(type, keycode, strokeMs, 0, 0, 0);
  const tap = (keycode: number) => {
    send(xtest.KeyPress, keycode);
    send(xtest.KeyRelease, keycode);
  };

  return {
    read: async () => {
      const [rows, { keyMask }] = await Promise.all([
        ask<number[][]>((answer) =>
          client.GetKeyboardMapping(firstKeycode, lastKeycode - firstKeycode + 1, answer),
        ),
        pointer(),
      ]);
      keys.clear();
      rows.forEach(([keysym = 0], at) => {
        if (!keys.has(keysym)) keys.set(keysym, firstKeycode + at);
      });
      return {
        firstKeycode,
        rows,
        group: (keyMask >> groupShift) & 3,
      };
    },
    /** Windows get it before any key that is pressed after it. */
    change: (changes: readonly KeyChange[]) => {
      for (const { keycode, keysyms } of changes) client.ChangeKeyboardMapping(keycode, 2, keysyms);
    },
    /** As if these keys had never given anything. */
    clear: (keycodes: readonly number[]) => {
      for (const keycode of keycodes) client.ChangeKeyboardMapping(keycode, 1, [0]);
    },
    /** Uses the last read keymap. Text goes in without caps lock. Resolves when all were pressed. */
    press: async (strokes: readonly Stroke[], held?: readonly string[]) => {
      const keyOf = (name: string) => {
        const keycode = keys.get(namedKeys[name] ?? 0);
        if (keycode === undefined) throw new Error(`this keyboard has no key ${name}`);
        return keycode;
      };
      const isLocked = ((await pointer()).keyMask & capsMask) !== 0;
      const caps = isLocked && held === undefined ? [keyOf('capslock')] : [];
      const others = (held ?? []).map(keyOf);
      const shift = strokes.some((stroke) => stroke.shift) ? keyOf('shift') : 0;
      caps.forEach(tap);
      for (const keycode of others) send(xtest.KeyPress, keycode);
      for (const stroke of strokes) {
        const isShifted = stroke.shift && held?.includes('shift') !== true;
        if (isShifted) send(xtest.KeyPress, shift);
        tap(stroke.keycode);
        if (isShifted) send(xtest.KeyRelease, shift);
      }
      for (const keycode of others.toReversed()) send(xtest.KeyRelease, keycode);
      caps.forEach(tap);
      await ask((answer) => client.GetInputFocus(answer));
    },
    /** Resolves when the window that has the keyboard has handled all so far, or cannot say so. */
    handled,
    close: () => new Promise<void>((resolve) => client.close(resolve)),
  };
};

export type XKeyboard = Awaited<ReturnType<typeof openKeyboard>>;
