import type { FastifyInstance } from 'fastify';
import { errors } from '../../errors.ts';

const always: ReadonlySet<string> = new Set(['/health', '/ready']);

/**
 * Whether the server still serves. One that leaves is not ready, so that a balancer sends nothing more; one
 * that refuses answers every new request with `shuttingDown`, `Retry-After` and `Connection: close`.
 */
export const createDraining = (app: FastifyInstance) => {
  let phase: 'serving' | 'leaving' | 'refusing' = 'serving';
  app.addHook('onRequest', (request, reply, done) => {
    if (phase !== 'refusing' || always.has(request.url)) return done();
    reply.header('connection', 'close');
    done(errors.shuttingDown());
  });
  return {
    isLeaving: (): boolean => phase !== 'serving',
    leave: (): void => {
      if (phase === 'serving') phase = 'leaving';
    },
    refuse: (): void => {
      phase = 'refusing';
    },
  };
};
