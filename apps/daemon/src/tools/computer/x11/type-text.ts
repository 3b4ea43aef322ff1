import { createTimer, sleep, type Clock } from '@drawbridge/kit';
import { findKey, planKeys, type KeyboardState, type KeyChange } from './key-plan.ts';
import { keysymOf, toSymbol } from './keysyms.ts';
import type { Keys } from '../keys.ts';
import type { XKeyboard } from './x-keyboard.ts';

/** Windows and input methods learn of a changed keymap beside the keys, and read it a little later. */
const changeMs = 500;
/** A busy window reads a key's meaning late. Until then the key keeps it. */
const readMs = 1_000;
const restoreMs = 10_000;

export const createTypist = ({ keyboard, clock }: { keyboard: XKeyboard; clock: Clock }) => {
  /** Of each spare key in use, the longest unused first: what it gives, and when it was last pressed. */
  const spares = new Map<number, { keysyms: [number, number]; pressedAt: number }>();
  const restoring = createTimer(clock);

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
    // A busy window takes longer.
    await keyboard.handled();
    keyboard.change(changes);
    for (const { keycode, keysyms } of changes) spares.set(keycode, { keysyms, pressedAt: clock.now() });
    await sleep(clock, changeMs);
    await keyboard.handled();
  };

  const typeSome = async (symbols: readonly string[]): Promise<number> => {
    const { changes, strokes, length } = planKeys(symbols, await read(), [...spares.keys()]);
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

  const type = async (text: string) => {
    const symbols = [...text.replace(/\r\n?/g, '\n')].map(toSymbol);
    const odd = symbols.find((symbol) => keysymOf(symbol) === undefined);
    if (odd !== undefined) throw new Error(`no key gives U+${odd.codePointAt(0)?.toString(16)}`);
    restoring.cancel();
    try {
      for (let done = 0; done < symbols.length;) done += await typeSome(symbols.slice(done));
    } finally {
      restoring.start(restoreMs, () => void restore().catch(() => undefined));
    }
  };

  return {
    /** Types any text: missing characters go on spare keys, restored 10 s later. */
    type,
    /** Presses a key, by character or name, while others are held. Rejects where the keyboard lacks it. */
    tap: async ({ key, modifiers }: Keys) => {
      if (modifiers.length === 0 && key.length === 1) return type(key);
      const stroke = findKey(toSymbol(key), await read(), [...spares.keys()]);
      if (stroke === undefined) throw new Error(`this keyboard has no key ${key}`);
      await keyboard.press([stroke], modifiers);
    },
    close: async () => {
      restoring.cancel();
      await restore();
      await keyboard.close();
    },
  };
};

export type Typist = ReturnType<typeof createTypist>;
