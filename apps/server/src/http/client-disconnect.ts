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
 * Resolves when the exchange is over, with whether the answer was written whole. What a cut connection had still to write
 * counts as finished too, so the connection is asked.
 */
export const whenDelivered = ({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply): Promise<boolean> =>
  new Promise((resolve) => {
    let isWhole = false;
    raw.once('finish', () => {
      isWhole = !socket.destroyed;
    });
    raw.once('close', () => resolve(isWhole));
  });
