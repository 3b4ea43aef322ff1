import type { FastifyReply, FastifyRequest } from 'fastify';
import { createBearerGuard, type AccessControl } from '../../auth/index.ts';
import { errors } from '../../errors.ts';
import type { Limits } from '../../http/index.ts';
import { callerOf, type Caller } from './caller.ts';

/** Says who comes: the header `Authorization: Bearer …` alone decides, never a cookie. Throws as the guard of all doors does. */
export const createAuthenticate = (needs: { access: AccessControl; limits: Limits }) => {
  const guard = createBearerGuard(needs);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<Caller> => {
    const access = await guard(request, reply);
    // One that was made for another address, such as that of the MCP door, is none here.
    if (access.resource !== undefined) throw errors.unauthorized();
    return callerOf(access);
  };
};
