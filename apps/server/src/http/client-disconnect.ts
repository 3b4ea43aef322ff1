import type { FastifyReply, FastifyRequest } from 'fastify';

/** Aborts when the client leaves before it has been answered. */
export const disconnectSignal = ({ raw }: FastifyReply): AbortSignal => {
  const left = new AbortController();
  raw.once('close', () => {
    if (!raw.writableEnded) left.abort();
  });
  return left.signal;
};

/**
 * Resolves at the end of the exchange with whether all of the answer was written. A cut connection with
 * unsent data finishes too, so the socket is checked.
 */
export const whenDelivered = ({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply): Promise<boolean> =>
  new Promise((resolve) => {
    let isWhole = false;
    raw.once('finish', () => {
      isWhole = !socket.destroyed;
    });
    raw.once('close', () => resolve(isWhole));
  });
