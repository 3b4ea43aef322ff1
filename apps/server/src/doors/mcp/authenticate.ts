import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessControl } from './access.ts';
import { errors } from '../../errors.ts';
import type { Gateway } from '../../gateway/index.ts';
import type { Limits } from '../../http/index.ts';
import { bearerOf } from './bearer.ts';
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

/** Where a client reads how to get a token (RFC 9728). */
const challenge = (url: string, wasGiven: boolean) =>
  `Bearer ${wasGiven ? 'error="invalid_token", ' : ''}resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`;

/**
 * Says who comes. Throws `unauthorized` with a challenge without a token that holds, `notFound` for a machine that is not
 * theirs.
 */
export const createAuthenticate =
  ({ access, gateway, limits, url }: AuthenticateNeeds) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<Caller> => {
    const bearer = bearerOf(request);
    const granted = bearer === null ? null : await access.verify(bearer, request.ip);
    if (!granted) {
      if (request.headers.authorization !== undefined) await limits.session.count(request, reply);
      reply.header('www-authenticate', challenge(url(), bearer !== null));
      throw errors.unauthorized({
        message: 'An access token is needed',
        fix: 'Make one in the panel, under Tokens.',
      });
    }
    const caller = callerOf(granted, machineIdOf(request));
    if (caller.machineId !== undefined) await gateway.machine(caller.userId, caller.machineId);
    return caller;
  };
