import { errorTable } from '@drawbridge/contracts/errors';
import type { FastifyInstance } from 'fastify';

/** `/health`: the process answers, and the store can be written. It says nothing else. */
export const serveHealth = (app: FastifyInstance, canWrite: () => Promise<boolean>): void => {
  app.get('/health', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    if (await canWrite()) return reply.send({ ok: true });
    const { http, code, message } = errorTable.storeUnavailable;
    return reply.code(http).send({ ok: false, code, message });
  });
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
