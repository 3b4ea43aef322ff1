import type { FastifyInstance } from 'fastify';

/** `/health`: the process answers. It says nothing else. */
export const serveHealth = (app: FastifyInstance): void => {
  app.get('/health', async (_request, reply) => reply.header('cache-control', 'no-store').send({ ok: true }));
};

/** `/ready`: the server can serve, which `ready` tries. It says nothing else. */
export const serveReady = (app: FastifyInstance, ready: () => Promise<void>): void => {
  app.get('/ready', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    try {
      await ready();
      return await reply.send({ ok: true });
    } catch (error) {
      request.log.warn({ err: error }, 'not ready: a check failed');
      return reply.code(503).send({ ok: false });
    }
  });
};
