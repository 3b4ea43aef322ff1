import type { FastifyReply, FastifyRequest } from 'fastify';
import { createBearerGuard, resourceOf, type AccessControl } from '../../auth/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import type { Limits } from '../../http/index.ts';
import { callerOf, type Caller } from './caller.ts';

interface AuthenticateNeeds {
  access: AccessControl;
  gateway: Gateway;
  limits: Limits;
  /** The origin under which clients reach the server. */
  url(): string;
}

const machineIdOf = ({ params }: FastifyRequest): string | undefined =>
  typeof params === 'object' && params !== null && 'machineId' in params
    ? String(params.machineId)
    : undefined;

/**
 * Says who comes. Throws `unauthorized` with a challenge without a token that holds, `notFound` for a machine that is not
 * theirs.
 */
export const createAuthenticate = ({ access, gateway, limits, url }: AuthenticateNeeds) => {
  const guard = createBearerGuard({
    access,
    limits,
    resource: () => resourceOf(url()),
    // Where a client reads how to get a token (RFC 9728).
    challenge: () => `resource_metadata="${url()}/.well-known/oauth-protected-resource/mcp"`,
  });
  return async (request: FastifyRequest, reply: FastifyReply): Promise<Caller> => {
    const caller = callerOf(await guard(request, reply), machineIdOf(request));
    if (caller.machineId !== undefined) await gateway.machine(caller.userId, caller.machineId);
    return caller;
  };
};
