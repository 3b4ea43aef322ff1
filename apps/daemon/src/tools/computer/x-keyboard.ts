import x11, { type Answer, type Display, type Xtest } from 'x11';
import type { KeyboardState, KeyChange, Stroke } from './key-plan.ts';

const shiftLeft = 0xffe1;
const capsLock = 0xffe5;
const lockMask = 2;
const groupShift = 13;
/** Before a key goes down, and before it goes up. */
const strokeMs = 4;

/** The keyboard of an X11 display. Rejects with the error of the display, also when it goes away. */
export interface XKeyboard {
  read(): Promise<KeyboardState>;
  /** Windows hear of it before they hear of any key that is pressed after it. */
  change(changes: readonly KeyChange[]): void;
  /** As if these keys had never given anything. */
  clear(keycodes: readonly number[]): void;
  /** By the keys as they were read last; caps lock is off meanwhile. Resolves when all were pressed. */
  press(strokes: readonly Stroke[]): Promise<void>;
  close(): Promise<void>;
}

const connect = (): Promise<Display> =>
  new Promise((resolve, reject) => {
    const client = x11.createClient({ shm: false }, (error, display) => {
      if (error) reject(error);
      else resolve(display);
    });
    client.on('error', reject);
  });

/** Speaks with the display that `DISPLAY` names. */
export const openKeyboard = async (): Promise<XKeyboard> => {
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

  const xtest = await ask<Xtest>((answer) => client.require('xtest', answer));
  const keys = new Map<number, number>();

  const pointer = () =>
    ask<{ keyMask: number }>((answer) => client.QueryPointer(screen[0]?.root ?? 0, answer));
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
      return { firstKeycode, rows, group: (keyMask >> groupShift) & 3 };
    },
    change: (changes) => {
      for (const { keycode, keysyms } of changes) client.ChangeKeyboardMapping(keycode, 2, keysyms);
    },
    clear: (keycodes) => {
      for (const keycode of keycodes) client.ChangeKeyboardMapping(keycode, 1, [0]);
    },
    press: async (strokes) => {
      const [shift, caps] = [keys.get(shiftLeft), keys.get(capsLock)];
      const isLocked = ((await pointer()).keyMask & lockMask) !== 0;
      if (isLocked && caps !== undefined) tap(caps);
      for (const stroke of strokes) {
        const held = stroke.shift ? shift : undefined;
        if (held !== undefined) send(xtest.KeyPress, held);
        tap(stroke.keycode);
        if (held !== undefined) send(xtest.KeyRelease, held);
      }
      if (isLocked && caps !== undefined) tap(caps);
      await ask((answer) => client.GetInputFocus(answer));
    },
    close: () => new Promise((resolve) => client.close(resolve)),
  };
};
