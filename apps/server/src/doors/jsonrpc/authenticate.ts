import type { FastifyReply, FastifyRequest } from 'fastify';
import { verifyBearer, type AccessControl, type Accounts } from '../../auth/index.ts';
import { errors } from '../../errors.ts';
import { bearerOf, type Limits } from '../../http/index.ts';
import { tokenIdentity, type Identity } from './identity.ts';

interface Needs {
  access: AccessControl;
  accounts: Accounts;
  limits: Limits;
}

/** Finds out who opens a socket, before it is one. Throws `unauthorized`, `tooManyRequests`. */
export const createAuthenticate =
  ({ access, accounts, limits }: Needs) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<Identity> => {
    const bearer = bearerOf(request);
    const verified = await verifyBearer({ access }, bearer, request.ip);
    if (verified.kind === 'refused' || bearer === null) {
      if (request.headers.authorization !== undefined) await limits.session.count(request, reply);
      reply.header('www-authenticate', bearer === null ? 'Bearer' : 'Bearer error="invalid_token"');
      throw verified.kind === 'refused' ? verified.error : errors.unauthorized();
    }
    const { access: granted } = verified;
    return tokenIdentity(granted, bearer, granted.userId === (await accounts.ownerId()));
  };
