import { spawnSync } from 'node:child_process';
import { systemClock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { shared } from '../../../test/support/clean-up.ts';
import { textOf, openTools } from '../../../test/support/tool-fixture.ts';
import { openWindow } from '../../../test/support/open-window.ts';
import { createTypist } from './x11/type-text.ts';
import { openKeyboard } from './x11/x-keyboard.ts';

vi.setConfig({ testTimeout: 120_000 });

/** No layout lacks more of these than there are spare keys. */
const text = 'Az 1! {}@~"\\ Azöß ÖÜ € жЖ λ “1” 日本 😀';

const setLayout = (layout: string, variant = '', options = '') => {
  const given = ['-option', '', '-layout', layout, '-variant', variant, '-option', options];
  expect(spawnSync('setxkbmap', given, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
};

/** Presses the key that switches something over. */
const pressKey = async (keysym: number) => {
  const keyboard = await openKeyboard();
  const { rows, firstKeycode } = await keyboard.read();
  const at = rows.findIndex((row) => row[0] === keysym);
  expect(at).toBeGreaterThan(0);
  await keyboard.press([{ keycode: firstKeycode + at, shift: false }]);
  await keyboard.close();
};

const [capsLock, nextGroup] = [0xffe5, 0xfe08];
/** Both are switched with Caps Lock. */
const usAndRussian: Parameters<typeof setLayout> = ['us,ru', '', 'grp:caps_toggle'];
const threeLayouts: Parameters<typeof setLayout> = ['us,ru,gr', '', 'grp:caps_toggle'];

describeWith('display', 'chromium')('keys', () => {
  const world = shared(openWindow);

  /** The window with nothing in it, under a layout that these keys switch until the test is over. */
  const emptyWindow = async (layout: Parameters<typeof setLayout> = ['us'], switchedBy: number[] = []) => {
    const { ok, of, events } = world();
    setLayout('us');
    await ok('keyboard_shortcut', { keys: ['ctrl', 'a'] });
    await ok('keyboard_key_tap', { key: 'delete' });
    await expect.poll(() => of('keyup').at(-1)).toMatchObject({ key: 'Delete' });
    events.length = 0;
    setLayout(...layout);
    for (const key of switchedBy) await pressKey(key);
    // Once more leads back to where it began, with two layouts as with three.
    onTestFinished(async () => {
      for (const key of switchedBy.slice(-1)) await pressKey(key);
    });
    return world();
  };

  describe('a text typed in a window', () => {
    it('is that text, and leaves the keyboard as it was when drawbridge ends', async () => {
      const { of } = await emptyWindow();
      const { call, toolbox } = await openTools({ modes: { computer: 'allow' } });
      const keyboard = await openKeyboard();
      const before = await keyboard.read();
      expect(textOf(await call('keyboard_type', { text }))).toBe('ok');
      await expect.poll(() => of('input').at(-1)).toEqual({ text });
      expect(await keyboard.read()).not.toEqual(before);
      await toolbox.close();
      await expect.poll(() => keyboard.read()).toEqual(before);
      await keyboard.close();
    });

    it.each<[string, Parameters<typeof setLayout>, number[]]>([
      ['us', ['us'], []],
      ['us under caps lock', ['us'], [capsLock]],
      ['German', ['de'], []],
      ['French', ['fr'], []],
      ['Russian', ['ru'], []],
      ['us with dead keys', ['us', 'intl'], []],
      ['Russian, the second of two', usAndRussian, [nextGroup]],
      ['Greek, the third of three', threeLayouts, [nextGroup, nextGroup]],
    ])('is the same where the layout is %s', async (_layout, layout, keys) => {
      const { of } = await emptyWindow(layout, keys);
      // In one piece: the tool waits for the window once for each 16 characters.
      const typist = createTypist({ keyboard: await openKeyboard(), clock: systemClock });
      await typist.type(text);
      await expect.poll(() => of('input').at(-1)).toEqual({ text });
      await typist.close();
    });

    it('waits for a window that is busy', async () => {
      const { signal } = await emptyWindow();
      const keyboard = await openKeyboard();
      let isHandled = false;
      signal('SIGSTOP');
      const handled = keyboard.handled().then(() => (isHandled = true));
      // Each is an answer of the display, more than it takes to find the window.
      for (let answers = 0; answers < 20; answers += 1) await keyboard.read();
      expect(isHandled).toBe(false);
      signal('SIGCONT');
      await handled;
      await keyboard.close();
    });

    it('leaves caps lock on', async () => {
      const { ok, of } = await emptyWindow(['us'], [capsLock]);
      await ok('keyboard_type', { text: 'a' });
      await ok('keyboard_shortcut', { keys: ['shift', 'b'] });
      await expect.poll(() => of('input').at(-1)).toEqual({ text: 'ab' });
    });

    it('may have more characters that the layout lacks than there are spare keys', async () => {
      const { ok, of } = await emptyWindow();
      const keyboard = await openKeyboard();
      const { rows } = await keyboard.read();
      await keyboard.close();
      // Each gives two characters, alone and with shift.
      const spares = rows.filter((row) => row.every((keysym) => keysym === 0)).length;
      const count = spares * 2 + 2;
      const many = Array.from({ length: count }, (_, at) => String.fromCodePoint(0x4e00 + at * 7)).join('');
      await ok('keyboard_type', { text: many });
      await expect.poll(() => of('input').at(-1)).toEqual({ text: many });
    });
  });

  describe('a key that a window receives', () => {
    it('is the one that was named', async () => {
      const { call, ok, of, events } = await emptyWindow();
      for (const [key, received] of [
        ['enter', 'Enter'],
        ['tab', 'Tab'],
        ['space', ' '],
        ['escape', 'Escape'],
        ['up', 'ArrowUp'],
        ['pagedown', 'PageDown'],
        ['insert', 'Insert'],
        ['menu', 'ContextMenu'],
        ['command', 'Meta'],
        ['capslock', 'CapsLock'],
        ['capslock', 'CapsLock'],
        ['numpad_+', '+'],
        ['numpad_4', 'ArrowLeft'],
        ['numpad_lock', 'NumLock'],
        ['numpad_4', '4'],
        ['f5', 'F5'],
      ]) {
        events.length = 0;
        await ok('keyboard_key_tap', { key });
        await expect.poll(() => of('keydown')).toMatchObject([{ key: received }]);
      }
      expect(textOf(await call('keyboard_key_tap', { key: 'f13' }))).toBe(
        'The computer refused: this keyboard has no key f13',
      );
    });

    it('is held with others, also where the layout in use does not have it', async () => {
      const { ok, of } = await emptyWindow(usAndRussian, [nextGroup]);
      await ok('keyboard_type', { text: 'ab' });
      await ok('keyboard_shortcut', { keys: ['ctrl', 'a'] });
      await ok('keyboard_type', { text: 'c' });
      await expect.poll(() => of('input').at(-1)).toEqual({ text: 'c' });
    });
  });
});
