import type { ChildProcess } from 'node:child_process';
import { Server } from 'node:net';

export interface Takes {
  /** How many listeners the command hands over before it starts. */
  count: number;
  serve(port: number, listener: Server): void;
  /** Something else came on the channel: it is not the program of the daemon that speaks. */
  forged(): void;
}

/** Takes the listeners of a command's network, and closes the channel. Gives whether all have come. */
export const takeListeners = (child: ChildProcess, { count, serve, forged }: Takes): (() => boolean) => {
  let left = count;
  const close = () => {
    if (child.connected) child.disconnect();
  };
  child.on('message', (port, listener) => {
    if (left === 0 || typeof port !== 'string' || !(listener instanceof Server)) {
      forged();
      return;
    }
    left -= 1;
    serve(Number(port), listener);
    if (left === 0) close();
  });
  child.once('exit', close);
  return () => left === 0;
};
