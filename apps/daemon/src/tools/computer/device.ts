import { systemClock } from '@drawbridge/kit';
import type { Monitor } from 'node-screenshots';
import type { Keys } from './keys.ts';
import {
  mouseButtons,
  deviceCommand,
  type DeviceMessage,
  type DeviceCommand,
  type Point,
} from './device-commands.ts';
import type { Typist } from './x11/type-text.ts';

// A process of its own: native parts that lose their display end the process that they run in.

const modifiers = ['shift', 'control', 'alt', 'command'];
const jpegQuality = 80;
/** Before it ends all the same, should the display not answer. */
const closeMs = 1_000;

const send = (message: DeviceMessage): void => void process.send?.(message);

const describe = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');

const open = async () => {
  // Asked first: it answers where there is no display, and the next one ends the process instead.
  const screenshots = await import('node-screenshots');
  const mainScreen = (): Monitor => {
    const all = screenshots.Monitor.all();
    const found = all.find((one) => one.isPrimary()) ?? all[0];
    if (found === undefined) throw new Error('there is no screen');
    return found;
  };
  mainScreen();
  const { default: robot } = await import('@jitsi/robotjs');
  const { Transformer } = await import('@napi-rs/image');
  robot.setMouseDelay(5);
  robot.setKeyboardDelay(5);

  const size = () => {
    const screen = mainScreen();
    return { width: screen.width(), height: screen.height() };
  };

  /** Whatever an earlier process may have left pressed. */
  const release = () => {
    for (const button of mouseButtons) robot.mouseToggle('up', button);
    for (const key of modifiers) robot.keyToggle(key, 'up');
  };

  const moveTo = ({ x, y }: Point) => {
    const screen = mainScreen();
    robot.moveMouse(screen.x() + x, screen.y() + y);
  };

  const capture = async ({
    area,
    longestSide,
  }: Extract<DeviceCommand, { kind: 'capture' }>): Promise<string> => {
    const screen = mainScreen();
    const whole = await screen.captureImage();
    // Where one unit of the screen is several pixels of the picture.
    const scale = whole.width / screen.width();
    const shown = area ?? { x: 0, y: 0, width: screen.width(), height: screen.height() };
    const [x, y, width, height] = [shown.x, shown.y, shown.width, shown.height].map((one) =>
      Math.round(one * scale),
    );
    const image = area === undefined ? whole : await whole.crop(x ?? 0, y ?? 0, width ?? 1, height ?? 1);
    const shrink = Math.min(1, longestSide / Math.max(shown.width, shown.height));
    const picture = Transformer.fromRgbaPixels(await image.toRaw(), image.width, image.height).resize(
      Math.max(1, Math.round(shown.width * shrink)),
      Math.max(1, Math.round(shown.height * shrink)),
    );
    return (await picture.jpeg(jpegQuality)).toString('base64');
  };

  const drag = ({ from, to }: Extract<DeviceCommand, { kind: 'drag' }>) => {
    moveTo(from);
    robot.mouseToggle('down');
    try {
      const screen = mainScreen();
      robot.dragMouse(screen.x() + to.x, screen.y() + to.y);
    } finally {
      robot.mouseToggle('up');
    }
  };

  let typist: Typist | undefined;

  // On X11 the package presses keys without regard to what the layout makes of them, and ends the process at one that there is not.
  const openTypist = async (): Promise<Typist> => {
    const [{ createTypist }, { openKeyboard }] = await Promise.all([
      import('./x11/type-text.ts'),
      import('./x11/x-keyboard.ts'),
    ]);
    return createTypist({ keyboard: await openKeyboard(), clock: systemClock });
  };

  const type = async (text: string) => {
    if (process.platform !== 'linux') return robot.typeString(text);
    typist ??= await openTypist();
    await typist.type(text);
  };

  const tap = async ({ key, modifiers: held }: Keys) => {
    if (process.platform !== 'linux') return robot.keyTap(key, held);
    typist ??= await openTypist();
    await typist.tap({ key, modifiers: held });
  };

  /** Lets go of everything, and leaves the keyboard as it was. */
  const close = async () => {
    release();
    await typist?.close();
  };

  const execute = async (given: DeviceCommand): Promise<string | undefined> => {
    switch (given.kind) {
      case 'capture':
        return capture(given);
      case 'move':
        return void moveTo(given.to);
      case 'click':
        moveTo(given.at);
        return void robot.mouseClick(given.button, given.double);
      case 'drag':
        return void drag(given);
      case 'scroll':
        moveTo(given.at);
        // Up and left are positive here.
        return void robot.scrollMouse(-given.right, -given.down);
      case 'type':
        return void (await type(given.text));
      case 'tap':
        return void (await tap(given));
      default:
        return given satisfies never;
    }
  };

  return { size, release, execute, close };
};

const serve = async (): Promise<void> => {
  try {
    const device = await open();
    device.release();
    process.on('disconnect', () => {
      // The daemon is gone, whatever ended it.
      systemClock.after(closeMs, () => process.exit(0));
      void device.close().finally(() => process.exit(0));
    });
    process.on('message', (message) => {
      device
        .execute(deviceCommand.parse(message))
        .then((data) => send({ kind: 'done', screen: device.size(), ...(data !== undefined && { data }) }))
        .catch((error: unknown) => {
          // Throws where the display is gone, which ends this process and tells the daemon.
          device.size();
          send({ kind: 'failed', reason: describe(error) });
        });
    });
    send({ kind: 'ready', screen: device.size() });
  } catch (error) {
    send({ kind: 'missing', reason: describe(error) });
    process.disconnect();
  }
};

void serve();
