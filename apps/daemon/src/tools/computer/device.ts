import { systemClock } from '@drawbridge/kit';
import type * as robotjs from '@jitsi/robotjs';
import type { Monitor } from 'node-screenshots';
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

/** What the X11 library says where DISPLAY is empty or is no name of a display. */
const saysNoDisplay = /parsing display string/i;

const describe = (error: unknown): string => {
  const reason = error instanceof Error ? error.message : 'unknown';
  return saysNoDisplay.test(reason) ? 'there is no display here (DISPLAY names none)' : reason;
};

type Robot = typeof robotjs;
type Command<Kind extends DeviceCommand['kind']> = Extract<DeviceCommand, { kind: Kind }>;

const openScreen = async () => {
  const { Monitor } = await import('node-screenshots');
  const main = (): Monitor => {
    const all = Monitor.all();
    const monitor = all.find((candidate) => candidate.isPrimary()) ?? all[0];
    if (monitor === undefined) throw new Error('there is no screen');
    return monitor;
  };
  main();
  return main;
};

const capture = async (screen: Monitor, { area, longestSide }: Command<'capture'>): Promise<string> => {
  const { Transformer } = await import('@napi-rs/image');
  const whole = await screen.captureImage();
  // Where one unit of the screen is several pixels of the picture.
  const scale = whole.width / screen.width();
  const shown = area ?? { x: 0, y: 0, width: screen.width(), height: screen.height() };
  const [x, y, width, height] = [shown.x, shown.y, shown.width, shown.height].map((side) =>
    Math.round(side * scale),
  );
  const image = area === undefined ? whole : await whole.crop(x ?? 0, y ?? 0, width ?? 1, height ?? 1);
  const shrink = Math.min(1, longestSide / Math.max(shown.width, shown.height));
  const picture = Transformer.fromRgbaPixels(await image.toRaw(), image.width, image.height).resize(
    Math.max(1, Math.round(shown.width * shrink)),
    Math.max(1, Math.round(shown.height * shrink)),
  );
  return (await picture.jpeg(jpegQuality)).toString('base64');
};

const moveTo = (robot: Robot, screen: Monitor, { x, y }: Point): void =>
  robot.moveMouse(screen.x() + x, screen.y() + y);

const drag = (robot: Robot, screen: Monitor, { from, to }: Command<'drag'>): void => {
  moveTo(robot, screen, from);
  robot.mouseToggle('down');
  try {
    robot.dragMouse(screen.x() + to.x, screen.y() + to.y);
  } finally {
    robot.mouseToggle('up');
  }
};

// On X11 the package ignores the layout, and ends the process at a key that is missing.
const openTypist = async (): Promise<Typist> => {
  const [{ createTypist }, { openKeyboard }] = await Promise.all([
    import('./x11/type-text.ts'),
    import('./x11/x-keyboard.ts'),
  ]);
  return createTypist({ keyboard: await openKeyboard(), clock: systemClock });
};

const robotTypist = (robot: Robot): Typist => ({
  type: async (text) => robot.typeString(text),
  tap: async ({ key, modifiers: held }) => robot.keyTap(key, held),
  close: async () => {},
});

const open = async () => {
  // First: it answers where there is no display, and the next one ends the process instead.
  const screen = await openScreen();
  const { default: robot } = await import('@jitsi/robotjs');
  robot.setMouseDelay(5);
  robot.setKeyboardDelay(5);
  let typist = process.platform === 'linux' ? undefined : robotTypist(robot);

  /** Whatever an earlier process may have left pressed. */
  const release = () => {
    for (const button of mouseButtons) robot.mouseToggle('up', button);
    for (const key of modifiers) robot.keyToggle(key, 'up');
  };

  const execute = async (command: DeviceCommand): Promise<string | undefined> => {
    switch (command.kind) {
      case 'capture':
        return capture(screen(), command);
      case 'move':
        return void moveTo(robot, screen(), command.to);
      case 'click':
        moveTo(robot, screen(), command.at);
        return void robot.mouseClick(command.button, command.double);
      case 'drag':
        return void drag(robot, screen(), command);
      case 'scroll':
        moveTo(robot, screen(), command.at);
        // Up and left are positive here.
        return void robot.scrollMouse(-command.right, -command.down);
      case 'type':
        return void (await (typist ??= await openTypist()).type(command.text));
      case 'tap':
        return void (await (typist ??= await openTypist()).tap(command));
      default:
        return command satisfies never;
    }
  };

  return {
    size: () => ({ width: screen().width(), height: screen().height() }),
    release,
    execute,
    /** Releases everything, and leaves the keyboard as it was. */
    close: async () => {
      release();
      await typist?.close();
    },
  };
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
