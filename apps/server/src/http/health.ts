import { errorTable } from '@drawbridge/contracts/errors';
import type { FastifyInstance } from 'fastify';

interface Store {
  canWrite(): Promise<boolean>;
  /** Whether its disk is almost full. */
  isDiskLow(): boolean;
}

/** `/health`: the process answers, the store can be written and has space. It says nothing else. */
export const serveHealth = (app: FastifyInstance, { canWrite, isDiskLow }: Store): void => {
  app.get('/health', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    const isWritten = await canWrite();
    if (isWritten && !isDiskLow()) return reply.send({ ok: true });
    const { http, code, message } = isWritten ? errorTable.diskAlmostFull : errorTable.storeUnavailable;
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
