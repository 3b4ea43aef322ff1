import { spawnSync } from 'node:child_process';
import { expect, it, vi } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { textOf } from '../try-out.ts';
import { openWindow } from './open-window.ts';
import { openKeyboard } from './x-keyboard.ts';

vi.setConfig({ testTimeout: 120_000 });

const text = 'Az 1! {}@~"\\ größe ÖÜ € жЖ λ “x” 日本 😀';

const setLayout = (...args: string[]) =>
  expect(spawnSync('setxkbmap', args, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });

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

describeWith('display', 'chromium')('a text typed in a window', () => {
  it.each<[string, string[], number[]]>([
    ['us', ['us'], []],
    ['us under caps lock', ['us'], [capsLock]],
    ['German', ['de'], []],
    ['French', ['fr'], []],
    ['Russian', ['ru'], []],
    ['us with dead keys', ['us', 'intl'], []],
    ['Russian, the second of two', ['-layout', 'us,ru', '-option', 'grp:caps_toggle'], [nextGroup]],
    [
      'Greek, the third of three',
      ['-layout', 'us,ru,gr', '-option', 'grp:caps_toggle'],
      [nextGroup, nextGroup],
    ],
  ])('is the same where the layout is %s', async (_layout, layout, keys) => {
    const { ok, of } = await openWindow();
    setLayout(...layout);
    for (const key of keys) await pressKey(key);
    await ok('keyboard_type', { text });
    await expect.poll(() => of('input').at(-1), { timeout: 10_000 }).toEqual({ text });
  });

  it('leaves caps lock on', async () => {
    const { ok, of } = await openWindow();
    await pressKey(capsLock);
    await ok('keyboard_type', { text: 'a' });
    await ok('keyboard_shortcut', { keys: ['shift', 'b'] });
    await expect.poll(() => of('input').at(-1), { timeout: 10_000 }).toEqual({ text: 'ab' });
  });

  it('may have more characters that the layout lacks than there are spare keys', async () => {
    const { ok, of } = await openWindow();
    const many = Array.from({ length: 120 }, (_, at) => String.fromCodePoint(0x4e00 + at * 7)).join('');
    await ok('keyboard_type', { text: many });
    await expect.poll(() => of('input').at(-1), { timeout: 10_000 }).toEqual({ text: many });
  });

  it('leaves the keyboard as it was when drawbridge ends', async () => {
    const { ok, toolbox } = await openWindow();
    const keyboard = await openKeyboard();
    const before = await keyboard.read();
    await ok('keyboard_type', { text });
    expect(await keyboard.read()).not.toEqual(before);
    await toolbox.close();
    await expect.poll(() => keyboard.read(), { timeout: 5_000 }).toEqual(before);
    await keyboard.close();
  });
});

describeWith('display', 'chromium')('a key that a window receives', () => {
  it('is the one that was named', async () => {
    const { call, ok, of, events } = await openWindow();
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
      ['numpad_+', '+'],
      ['numpad_4', 'ArrowLeft'],
      ['numpad_lock', 'NumLock'],
      ['numpad_4', '4'],
      ['f5', 'F5'],
    ]) {
      events.length = 0;
      await ok('keyboard_key_tap', { key });
      await expect.poll(() => of('keydown'), { timeout: 10_000 }).toMatchObject([{ key: received }]);
    }
    expect(textOf(await call('keyboard_key_tap', { key: 'f13' }))).toBe(
      'The computer refused: this keyboard has no key f13',
    );
  });

  it('is held with others, also where the layout in use does not have it', async () => {
    const { ok, of } = await openWindow();
    setLayout('-layout', 'us,ru', '-option', 'grp:caps_toggle');
    await pressKey(nextGroup);
    await ok('keyboard_type', { text: 'ab' });
    await ok('keyboard_shortcut', { keys: ['ctrl', 'a'] });
    await ok('keyboard_type', { text: 'c' });
    await expect.poll(() => of('input').at(-1), { timeout: 10_000 }).toEqual({ text: 'c' });
  });
});
