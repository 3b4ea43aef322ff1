import { errorTable } from '@drawbridge/contracts/errors';
import type { FastifyInstance } from 'fastify';

interface Store {
  canWrite(): Promise<boolean>;
  /** Whether its disk is almost full. */
  isDiskLow(): boolean;
}

/**
 * `/health`: 200 while the store can be written, and `degraded` on an almost full disk: new calls are
 * refused, and all else goes on. It says nothing else.
 */
export const serveHealth = (app: FastifyInstance, { canWrite, isDiskLow }: Store): void => {
  app.get('/health', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    if (!(await canWrite())) {
      const { http, code, message } = errorTable.storeUnavailable;
      return reply.code(http).send({ ok: false, code, message });
    }
    if (!isDiskLow()) return reply.send({ ok: true });
    const { code, message } = errorTable.diskAlmostFull;
    return reply.send({ ok: true, status: 'degraded', code, message });
  });
};

interface Readiness {
  isLeaving(): boolean;
  /** Throws where the server cannot serve. */
  check(): Promise<void>;
}

/** `/ready`: whether a balancer may send requests here. It says nothing else. */
export const serveReady = (app: FastifyInstance, { isLeaving, check }: Readiness): void => {
  app.get('/ready', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    if (isLeaving()) return reply.code(503).send({ ok: false });
    try {
      await check();
      return await reply.send({ ok: true });
    } catch (error) {
      request.log.warn({ err: error }, 'not ready: a check failed');
      return reply.code(503).send({ ok: false });
    }
  });
};
