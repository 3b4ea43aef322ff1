import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createBearerGuard, type AccessControl, type Accounts } from '../../auth/index.ts';
import { errors } from '../../errors.ts';
import { credentialsOf, type Limits } from '../../http/index.ts';
import type { RpcContext } from './context.ts';
import { personIdentity, tokenIdentity, type Identity } from './identity.ts';
import { healthOf } from './health.ts';

interface Needs {
  accounts: Accounts;
  access: AccessControl;
  limits: Limits;
  /** Refuses other hosts and other sites' pages. */
  guardOrigin(request: FastifyRequest): Promise<void>;
}

/** `GET /api/health`: what `system.health` says, for a token or a person who is signed in. */
export const addHealthRoute = (app: FastifyInstance, ctx: RpcContext, needs: Needs): void => {
  const { accounts, guardOrigin } = needs;
  const guardBearer = createBearerGuard(needs);
  const identify = async (request: FastifyRequest, reply: FastifyReply): Promise<Identity> => {
    if (request.headers.authorization !== undefined)
      return tokenIdentity(await guardBearer(request, reply), '', false);
    const session = await accounts.session(credentialsOf(request));
    if (!session) throw errors.unauthorized();
    return personIdentity(session);
  };
  app.get('/api/health', { onRequest: guardOrigin }, async (request, reply) =>
    reply.header('cache-control', 'no-store').send(await healthOf(ctx, await identify(request, reply))),
  );
};
