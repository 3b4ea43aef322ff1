import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import type { Limit } from './limits/limits.ts';

interface NotFoundNeeds {
  limit: Limit;
  /** Answers a page of the panel; null for any other address. */
  servePage(request: FastifyRequest, reply: FastifyReply): FastifyReply | null;
}

/** Answers unknown addresses with the panel's page or a counted 404. */
export const serveNotFound = (app: FastifyInstance, { limit, servePage }: NotFoundNeeds): void => {
  app.setNotFoundHandler(async (request, reply) => {
    // Not awaited: a reply is a promise of its own end.
    const page = servePage(request, reply);
    if (page !== null) return page;
    await limit.count(request, reply);
    throw errors.notFound();
  });
};
