import { sleep, type Clock } from '@drawbridge/kit';
import { planKeys, type KeyboardState, type KeyChange } from './key-plan.ts';
import { keysymOf } from './keysyms.ts';
import type { XKeyboard } from './x-keyboard.ts';

/** A window, and what types into it for others, hears of a change beside the keys, and reads it some time later. */
const hearMs = 500;
/** It reads what a key gives when it comes to the key, which a busy one does late. Until then the key keeps its meaning. */
const readMs = 1_000;
const restoreMs = 10_000;

export interface Typist {
  /**
   * Types any text, whatever the keyboard's layout: what the layout lacks is put on spare keys, which give nothing again 10 s after
   * the last text. Rejects with a sentence.
   */
  type(text: string): Promise<void>;
  /** Takes back what was put on spare keys. */
  close(): Promise<void>;
}

export const createTypist = ({ keyboard, clock }: { keyboard: XKeyboard; clock: Clock }): Typist => {
  /** Of each spare key in use, the longest unused first: what it gives, and when it was last pressed. */
  const spares = new Map<number, { keysyms: [number, number]; pressedAt: number }>();
  let stopRestoring = () => {};

  /** A key that something else has given another meaning since is no longer ours. */
  const read = async (): Promise<KeyboardState> => {
    const state = await keyboard.read();
    for (const [keycode, { keysyms }] of spares) {
      const row = state.rows[keycode - state.firstKeycode] ?? [];
      if (keysyms.some((keysym, level) => row[level] !== keysym)) spares.delete(keycode);
    }
    return state;
  };

  const restore = async () => {
    await read();
    keyboard.clear([...spares.keys()]);
    spares.clear();
  };

  const change = async (changes: readonly KeyChange[]) => {
    const readAt = changes.map(({ keycode }) => (spares.get(keycode)?.pressedAt ?? 0) + readMs);
    const waitMs = Math.max(...readAt) - clock.now();
    if (waitMs > 0) await sleep(clock, waitMs);
    keyboard.change(changes);
    for (const { keycode, keysyms } of changes) spares.set(keycode, { keysyms, pressedAt: clock.now() });
    await sleep(clock, hearMs);
  };

  const typeSome = async (characters: readonly string[]): Promise<number> => {
    const { changes, strokes, length } = planKeys(characters, await read(), [...spares.keys()]);
    if (changes.length > 0) await change(changes);
    await keyboard.press(strokes);
    for (const { keycode } of strokes) {
      const spare = spares.get(keycode);
      if (spare === undefined) continue;
      spares.delete(keycode);
      spares.set(keycode, { ...spare, pressedAt: clock.now() });
    }
    return length;
  };

  return {
    type: async (text) => {
      const characters = [...text.replace(/\r\n?/g, '\n')];
      const odd = characters.find((character) => keysymOf(character) === undefined);
      if (odd !== undefined) throw new Error(`no key gives U+${odd.codePointAt(0)?.toString(16)}`);
      stopRestoring();
      try {
        for (let done = 0; done < characters.length;) done += await typeSome(characters.slice(done));
      } finally {
        stopRestoring = clock.after(restoreMs, () => void restore().catch(() => undefined));
      }
    },
    close: async () => {
      stopRestoring();
      await restore();
      await keyboard.close();
    },
  };
};
