import { connect, type LookupFunction, type OnReadOpts, type Socket } from 'node:net';
import type { Clock } from '@drawbridge/kit';
import { waitMs } from './first-bytes.ts';
import { Refused } from './refusal.ts';

/** Connects to one of these addresses; with `onread`, the socket is paused. */
export type Dial = (addresses: readonly string[], port: number, onread?: OnReadOpts) => Socket;

/** Returns the checked addresses: another lookup could give others. */
const only =
  (addresses: readonly string[]): LookupFunction =>
  (_hostname, options, done) => {
    const records = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const [first] = records;
    if (options.all) done(null, records);
    else if (first) done(null, first.address, first.family);
    else done(new Error('no address'), '', 4);
  };

/** What arrives before its reader is ready stays in the system. */
export const pausedFor = (onread: OnReadOpts | undefined, socket: Socket): Socket =>
  onread === undefined ? socket : socket.pause();

export const dialDirectly: Dial = (addresses, port, onread) =>
  pausedFor(
    onread,
    connect({
      host: 'checked',
      port,
      lookup: only(addresses),
      autoSelectFamily: true,
      allowHalfOpen: true,
      noDelay: true,
      ...(onread && { onread }),
    }),
  );

/** Resolves with a connected socket; rejects with `Refused` after 10 s, and where nothing answers. */
export const whenConnected = (socket: Socket, clock: Clock): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const cancelTimer = clock.after(waitMs, () => socket.destroy());
    const fail = () => {
      cancelTimer();
      reject(new Refused('unreachable'));
    };
    socket.once('close', fail);
    // Its close follows.
    socket.on('error', () => undefined);
    socket.once('connect', () => {
      cancelTimer();
      socket.off('close', fail);
      resolve(socket);
    });
  });
