import type { FastifyReply, FastifyRequest } from 'fastify';
import { createBearerGuard, type AccessControl } from '../../auth/index.ts';
import type { Limits } from '../../http/index.ts';
import { callerOf, type Caller } from './caller.ts';

/** Says who comes: the header `Authorization: Bearer …` alone decides, never a cookie. Throws as the guard of all doors does. */
export const createAuthenticate = (needs: { access: AccessControl; limits: Limits }) => {
  const guard = createBearerGuard(needs);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<Caller> =>
    callerOf(await guard(request, reply));
};
