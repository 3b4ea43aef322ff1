import type { FastifyInstance, FastifyReply } from 'fastify';

/**
 * Cuts the event streams of a door when the server closes; the returned function takes each reply that may become one.
 * Cut, not ended: an ended stream tells its client not to come back.
 */
export const cutStreamsAtClose = (app: FastifyInstance): ((reply: FastifyReply) => void) => {
  const answering = new Set<FastifyReply>();
  app.addHook('preClose', async () => {
    for (const { raw } of answering) {
      if (String(raw.getHeader('content-type')).startsWith('text/event-stream')) raw.destroy();
    }
  });
  return (reply) => {
    answering.add(reply);
    reply.raw.once('close', () => answering.delete(reply));
  };
};
