import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { shared } from '../../../test/support/clean-up.ts';
import { textOf, openTools } from '../../../test/support/tool-fixture.ts';
import { screen } from '../../../test/support/display.ts';
import { openComputer, openWindow } from '../../../test/support/open-window.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Width and height in a JPEG's first frame header. */
const sizeOf = (data: string): [number, number] => {
  const bytes = Buffer.from(data, 'base64');
  expect(bytes.readUInt16BE(0)).toBe(0xffd8);
  for (let at = 2; ; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0;
    if (marker >= 0xc0 && marker <= 0xc2) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
  }
};

/** How many processes of ours speak with a display. */
const speakersWith = (display: string): number =>
  readdirSync('/proc').filter((pid) => {
    try {
      const [command, environment] = ['cmdline', 'environ'].map((file) =>
        readFileSync(`/proc/${pid}/${file}`, 'utf8'),
      );
      return (
        command?.includes('computer/device.ts') && environment?.split('\0').includes(`DISPLAY=${display}`)
      );
    } catch {
      return false;
    }
  }).length;

describeWith('display')('the computer tools', () => {
  const computer = shared(openComputer);
  // Opened after the other: on its display.
  const asking = shared(() => openTools({ modes: { computer: 'ask' } }));

  it('are ten, and offered where a display answers', () => {
    const { toolbox, gate } = computer();
    const names = toolbox
      .offered(gate.modes())
      .flatMap((tool) => (tool.annotations?.['category'] === 'computer' ? [tool.name] : []));
    expect(names).toEqual([
      'screen_screenshot',
      'screen_screenshot_region',
      'mouse_move',
      'mouse_click',
      'mouse_double_click',
      'mouse_drag',
      'mouse_scroll',
      'keyboard_type',
      'keyboard_key_tap',
      'keyboard_shortcut',
    ]);
  });

  it('are not offered where no display answers, with the reason', async () => {
    const { display, toolbox, gate, call } = await openComputer();
    display.end();
    expect((await call('screen_screenshot', {})).isError).toBe(true);
    await expect
      .poll(() => toolbox.offered(gate.modes()).some((tool) => tool.name === 'mouse_move'))
      .toBe(false);
    const category = toolbox.categories(gate.modes()).find((one) => one.name === 'computer');
    expect(category).toMatchObject({
      enabled: false,
      reason: expect.stringMatching(/display went away.*DISPLAY/),
    });
    const none = await openTools({ modes: { computer: 'allow' } });
    expect(none.toolbox.categories(none.gate.modes()).find((one) => one.name === 'computer')).toMatchObject({
      enabled: false,
      reason: expect.stringMatching(
        /^Screen, mouse and keyboard are not offered: .+ Start drawbridge in a terminal of the desktop/,
      ),
    });
  });

  it('take pictures of at most 1,024 pixels', async () => {
    const { call } = computer();
    const { content } = await call('screen_screenshot', {});
    const [picture] = content;
    expect(picture).toMatchObject({ type: 'image', mimeType: 'image/jpeg' });
    expect(picture?.type === 'image' && sizeOf(picture.data)).toEqual([1_024, 768]);
  });

  it.each([
    ['inside', { x: 10, y: 20, width: 300, height: 200 }, [300, 200]],
    ['BR-13 over the edge, cut', { x: -100, y: -50, width: 300, height: 200 }, [200, 150]],
    ['BR-13 huge, cut', { x: 0, y: 0, width: 1_000_000, height: 1_000_000 }, [1_024, 768]],
    [
      'BR-13 beside the screen',
      { x: 5_000, y: 0, width: 10, height: 10 },
      'This area is not on the screen, which is 1600 x 1200',
    ],
    [
      'BR-13 empty',
      { x: 0, y: 0, width: 0, height: 10 },
      'This area is not on the screen, which is 1600 x 1200',
    ],
    [
      'BR-13 negative',
      { x: 0, y: 0, width: -5, height: 10 },
      'This area is not on the screen, which is 1600 x 1200',
    ],
    ['BR-13 no number', { x: Number.NaN, y: 0, width: 5, height: 10 }, expect.stringMatching(/^x: /)],
  ])('take a picture of a part: %s', async (_case, area, expected) => {
    const { call } = computer();
    const [first] = (await call('screen_screenshot_region', area)).content;
    expect(first?.type === 'image' ? sizeOf(first.data) : first?.type === 'text' && first.text).toEqual(
      expected,
    );
  });

  it.each([
    ['outside', { x: 1_600, y: 0 }],
    ['negative', { x: -1, y: 0 }],
    ['no number', { x: Number.NaN, y: 0 }],
    ['a part of a pixel', { x: 1.5, y: 0 }],
    ['far outside', { x: 1e9, y: 1e9 }],
    ['a screen of no size', { x: 1, y: 1, screenWidth: 0, screenHeight: 0 }],
    ['a tiny screen', { x: 1, y: 1, screenWidth: 4, screenHeight: 3 }],
    ['a huge screen', { x: 1, y: 1, screenWidth: 1e9, screenHeight: 1e9 }],
    ['a screen of another shape', { x: 1, y: 1, screenWidth: 1_024, screenHeight: 512 }],
    ['half a screen size', { x: 1, y: 1, screenWidth: 1_024 }],
    ['outside of the picture', { x: 1_024, y: 1, screenWidth: 1_024, screenHeight: 768 }],
  ])('BR-15 do not click where it is %s', async (_case, args) => {
    const { call } = computer();
    for (const tool of ['mouse_move', 'mouse_click', 'mouse_double_click'])
      expect((await call(tool, args)).isError).toBe(true);
    const drag = { fromX: args.x, fromY: args.y, toX: 1, toY: 1 };
    expect((await call('mouse_drag', { ...args, x: undefined, y: undefined, ...drag })).isError).toBe(true);
    expect((await call('mouse_scroll', { ...args, direction: 'down', amount: 1 })).isError).toBe(true);
  });

  it.each([
    ['keyboard_key_tap', { key: 'sysrq' }, 'There is no key "sysrq"'],
    ['keyboard_key_tap', { key: 'ö' }, 'There is no key "ö"'],
    ['keyboard_shortcut', { keys: ['control', 'alt', 'delete'] }, 'These keys belong to the system'],
    ['keyboard_shortcut', { keys: ['Ctrl', 'ALT', 'F2'] }, 'These keys belong to the system'],
    ['keyboard_shortcut', { keys: ['ctrl', 'option', 'backspace'] }, 'These keys belong to the system'],
    ['keyboard_shortcut', { keys: ['alt', 'printscreen'] }, 'These keys belong to the system'],
    ['keyboard_shortcut', { keys: ['a', 'b'] }, 'a cannot be held: only shift, control, alt and command'],
    ['mouse_scroll', { x: 1, y: 1, direction: 'up', amount: 1e9 }, expect.stringMatching(/^amount: /)],
    ['keyboard_type', { text: 'x'.repeat(10_001), delayMs: 0 }, expect.stringMatching(/^text: /)],
  ])('BR-14 %s is refused: %#', async (tool, args, expected) => {
    const { call } = computer();
    expect(textOf(await call(tool, args))).toEqual(expected);
  });

  it('BR-16 release everything when the daemon is gone, and leave no process', async () => {
    const { toolbox, display } = await openComputer();
    expect(speakersWith(display.name)).toBe(1);
    await toolbox.close();
    await expect.poll(() => speakersWith(display.name)).toBe(0);
  });

  it.each([
    ['keyboard_type', { text: 'rm -rf ~\n\u202e' }, 'keyboard', 'Type with the keyboard: rm -rf ~\n\u202e'],
    ['keyboard_shortcut', { keys: ['ctrl', 'shift', 't'] }, 'keyboard', 'Press the keys control + shift + t'],
    ['mouse_click', { x: 3, y: 4, button: 'right' }, 'mouse', 'Click with the right mouse button at 3, 4'],
    ['screen_screenshot', {}, 'screen', 'Take a screenshot of the whole screen'],
  ])('%s asks in words that say what will be done', async (tool, args, resource, description) => {
    const send = async (more: object = {}) => {
      const toolCall = { name: tool, arguments: { ...args, ...more } };
      return textOf(await asking().send({ requestId: tool, toolCall }));
    };
    const text = await send();
    expect(text).toMatch(/^GATEWAY_CONFIRMATION_REQUIRED::/);
    const asked: unknown = JSON.parse(text.slice(text.indexOf('{')));
    expect(asked).toMatchObject({ toolGroup: 'computer', resource, description });
    // What is asked about waits for its answer, and the next one with it.
    await send({ _confirmation: 'denyOnce' });
  });
});

describeWith('display', 'chromium')('what a window receives', () => {
  const world = shared(openWindow);

  it('from the mouse, where the picture showed it', async () => {
    const { ok, of, events } = world();
    const half = { screenWidth: screen.width / 2, screenHeight: screen.height / 2 };
    await ok('mouse_click', { x: 350, y: 250, ...half });
    await expect.poll(() => of('mouseup')).toEqual([{ x: 701, y: 501, button: 0, buttons: 0 }]);
    events.length = 0;
    await ok('mouse_click', { x: 700, y: 500, button: 'right' });
    await expect.poll(() => of('mouseup')).toEqual([{ x: 700, y: 500, button: 2, buttons: 0 }]);
    events.length = 0;
    // On a busy machine the second click may arrive too late to make it a double one.
    for (let tries = 0; tries < 5 && of('dblclick').length === 0; tries += 1) {
      events.length = 0;
      await ok('mouse_double_click', { x: 600, y: 400 });
      await ok('mouse_move', { x: 610, y: 410 });
      await expect.poll(() => of('mousemove').at(-1)).toMatchObject({ x: 610, y: 410 });
    }
    expect(of('dblclick')).toEqual([{ x: 600, y: 400, button: 0, buttons: 0 }]);
    events.length = 0;
    await ok('mouse_drag', { fromX: 600, fromY: 400, toX: 800, toY: 450 });
    await expect
      .poll(() => [of('mousedown')[0], of('mouseup')[0]])
      .toEqual([
        { x: 600, y: 400, button: 0, buttons: 1 },
        { x: 800, y: 450, button: 0, buttons: 0 },
      ]);
    events.length = 0;
    await ok('mouse_move', { x: 900, y: 900 });
    await expect.poll(() => of('mousemove').at(-1)).toMatchObject({ x: 900, y: 900, buttons: 0 });
    // The browser adds up what comes in one frame: all that is to come has come before the next direction.
    for (const [direction, amount, wheel] of [
      ['up', 1, { x: 0, y: -1 }],
      ['right', 1, { x: 1, y: 0 }],
      ['left', 1, { x: -1, y: 0 }],
      ['down', 3, { x: 0, y: 1 }],
    ] as const) {
      events.length = 0;
      await ok('mouse_scroll', { x: 900, y: 900, direction, amount });
      await expect.poll(() => of('wheel').at(-1)).toEqual(wheel);
    }
  });

  it('from the keyboard, character by character', async () => {
    const { ok, of, events } = world();
    await ok('mouse_click', { x: 100, y: 100 });
    const text = 'Hello, World! {"a": [1, 2]} $HOME #x ~ größe €';
    await ok('keyboard_type', { text });
    await expect.poll(() => of('input').at(-1)).toEqual({ text });
    await ok('keyboard_shortcut', { keys: ['ctrl', 'a'] });
    await ok('keyboard_key_tap', { key: 'Del' });
    await expect.poll(() => of('input').at(-1)).toEqual({ text: '' });
    events.length = 0;
    await ok('keyboard_shortcut', { keys: ['shift', 'alt', 'k'] });
    await expect
      .poll(() => of('keydown').at(-1))
      .toEqual({ key: 'K', shift: true, alt: true, control: false });
    events.length = 0;
    await ok('keyboard_key_tap', { key: 'x' });
    await expect.poll(() => of('keydown')).toEqual([{ key: 'x', shift: false, control: false, alt: false }]);
    await expect.poll(() => of('keyup').at(-1)).toMatchObject({ key: 'x' });
  });

  it.each<[string, () => Promise<() => Promise<unknown>>]>([
    ['starts', async () => () => openTools({ modes: { computer: 'allow' } })],
    ['ends', async () => (await openTools({ modes: { computer: 'allow' } })).toolbox.close],
  ])(
    'BR-16 keys and buttons that were left pressed are released when drawbridge %s',
    async (_case, prepare) => {
      const { of, events } = world();
      const happens = await prepare();
      events.length = 0;
      spawnSync('xdotool', ['mousemove', '900', '900', 'mousedown', '1', 'keydown', 'shift']);
      await expect.poll(() => [of('mousedown').length, of('keydown').length]).toEqual([1, 1]);
      expect([of('mouseup'), of('keyup')]).toEqual([[], []]);
      await happens();
      await expect.poll(() => [of('mouseup').length, of('keyup')[0]?.['key']]).toEqual([1, 'Shift']);
    },
  );
});
