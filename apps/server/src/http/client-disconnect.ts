import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What an open exchange releases at its end, in the order in which it was acquired. */
const releases = new WeakMap<ServerResponse, (() => void)[]>();

/** Calls `release` at the end of the exchange: at once if the client has left already. */
export const atClose = ({ raw }: FastifyReply, release: () => void): void => {
  if (raw.destroyed) return release();
  const waiting = releases.get(raw);
  if (waiting) return void waiting.push(release);
  const all = [release];
  releases.set(raw, all);
  // Not `once`, whose wrapper an open stream would keep: there is one `close`.
  raw.on('close', () => {
    for (const one of all) one();
  });
};

/** Aborts when the client leaves before it has been answered. */
export const disconnectSignal = (reply: FastifyReply): AbortSignal => {
  const left = new AbortController();
  atClose(reply, () => {
    if (!reply.raw.writableEnded) left.abort();
  });
  return left.signal;
};

/**
 * Resolves at the end of the exchange with whether all of the answer was written. A cut connection with
 * unsent data finishes too, so the socket is checked.
 */
export const whenDelivered = ({ raw: { socket } }: FastifyRequest, reply: FastifyReply): Promise<boolean> =>
  new Promise((resolve) => {
    let isWhole = false;
    reply.raw.once('finish', () => {
      isWhole = !socket.destroyed;
    });
    atClose(reply, () => resolve(isWhole));
  });
