import type { Socket } from 'node:net';
import type { Clock } from '@drawbridge/kit';
import type { WebHost } from '../network/host.ts';
import { judgeHello, judgeSsh, type Verdict } from './client-hello.ts';
import { Refused } from './refusal.ts';

/** For headers of a request, for the first bytes of a tunnel, and for a connection to the host. */
export const waitMs = 10_000;

const isTls = (bytes: Buffer): boolean => bytes[0] === 0x16;

const judge = ({ hostname, port }: WebHost, bytes: Buffer): Verdict => {
  if (bytes.length === 0) return 'more';
  if (port === 22) return judgeSsh(bytes);
  return port === 443 || isTls(bytes) ? judgeHello(bytes, hostname) : 'right';
};

/** Whether the client speaks first, so that its bytes are checked before the host is connected. */
export const speaksFirst = ({ port }: WebHost): boolean => port === 443 || port === 22;

/** What the client sent, once it fits the place; rejects with `Refused`. The socket is paused then. */
export const readFirstBytes = (
  client: Socket,
  { place, head, clock }: { place: WebHost; head: Buffer; clock: Clock },
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    let bytes = head;
    let isOver = false;
    const stop = () => {
      isOver = true;
      cancelTimer();
      client.off('data', add).off('end', end).off('close', refuse);
      client.pause();
    };
    const refuse = () => {
      stop();
      reject(new Refused('protocol'));
    };
    const accept = () => {
      stop();
      resolve(bytes);
    };
    const look = () => {
      const verdict = judge(place, bytes);
      if (verdict === 'right') accept();
      else if (verdict === 'wrong') refuse();
    };
    const add = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      look();
    };
    // A client that only listens sends an end first.
    const end = () => (bytes.length === 0 && !speaksFirst(place) ? accept() : refuse());
    const cancelTimer = speaksFirst(place) ? clock.after(waitMs, refuse) : () => undefined;
    client.on('data', add).on('end', end).on('close', refuse);
    look();
    if (!isOver) client.resume();
  });
