import { fork, type ChildProcess } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, signalChild } from '@drawbridge/kit';
import { errors } from '../common/errors.ts';
import { deviceEnvironment } from './config.ts';
import { deviceMessage, type DeviceMessage, type DeviceCommand, type ScreenSize } from './device-commands.ts';

const startMs = 30_000;
const answerMs = 20_000;

export interface Device {
  screen(): ScreenSize;
  /** Runs one command at a time; a picture comes as base64. Throws `computerFailed`, also after 20 s. */
  execute(deviceCommand: DeviceCommand): Promise<string | undefined>;
  /** Lets go of all buttons and keys, and ends the process. */
  close(): void;
}

export type Opened = { kind: 'open'; device: Device } | { kind: 'missing'; reason: string };

const isSource = import.meta.url.endsWith('.ts');
const entry = fileURLToPath(new URL(isSource ? './device.ts' : './computer-device.cjs', import.meta.url));

const start = (): ChildProcess =>
  fork(entry, {
    cwd: dirname(entry),
    env: deviceEnvironment(),
    execArgv: [],
    // Signals of the terminal are for the daemon, which then lets this one go.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });

/** Starts the process; `lost` is called when it exits unexpectedly. */
export const openDevice = ({ clock, lost }: { clock: Clock; lost(): void }): Promise<Opened> =>
  new Promise((resolve) => {
    const child = start();
    let screen: ScreenSize | undefined;
    let onMessage: ((message: DeviceMessage | undefined) => void) | undefined;
    let closed = false;

    const close = () => {
      closed = true;
      if (child.connected) child.disconnect();
      // It lets go of everything first; should it hang, it is ended.
      clock.after(2_000, () => signalChild(child, 'SIGKILL'));
    };

    const answerTo = (deviceCommand: DeviceCommand): Promise<DeviceMessage | undefined> =>
      new Promise((answer) => {
        const stop = clock.after(answerMs, () => {
          signalChild(child, 'SIGKILL');
          onMessage?.(undefined);
        });
        onMessage = (message) => {
          onMessage = undefined;
          stop();
          answer(message);
        };
        if (child.connected) child.send(deviceCommand);
        else onMessage(undefined);
      });

    const device: Device = {
      screen: () => screen ?? { width: 1, height: 1 },
      execute: async (deviceCommand) => {
        const answer = await answerTo(deviceCommand);
        if (answer?.kind === 'failed')
          throw errors.computerFailed({ message: `The computer refused: ${answer.reason.slice(0, 200)}` });
        if (answer?.kind !== 'done') throw errors.computerFailed();
        screen = answer.screen;
        return answer.data;
      },
      close,
    };

    const giveUp = (reason: string) => {
      closed = true;
      stopWaiting();
      signalChild(child, 'SIGKILL');
      resolve({ kind: 'missing', reason });
    };
    const stopWaiting = clock.after(startMs, () => giveUp('the display does not answer'));
    child.on('message', (message) => {
      const parsed = deviceMessage.parse(message);
      if (parsed.kind === 'missing') return giveUp(parsed.reason);
      if (parsed.kind !== 'ready') return onMessage?.(parsed);
      stopWaiting();
      screen = parsed.screen;
      resolve({ kind: 'open', device });
    });
    child.on('error', () => giveUp('its process does not start'));
    child.on('exit', () => {
      onMessage?.(undefined);
      if (closed) return;
      if (screen === undefined) return giveUp('the display cannot be used');
      closed = true;
      lost();
    });
  });
