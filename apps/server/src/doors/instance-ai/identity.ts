import type { FastifyReply, FastifyRequest } from 'fastify';
import { createBearerGuard, type AccessControl, type Accounts } from '../../auth/index.ts';
import { errors } from '../../errors.ts';
import { atClose, credentialsOf, type Limits } from '../../http/index.ts';

/** The user of a request. */
export interface Identity {
  userId: string;
  isOwner: boolean;
}

/** `person`: signed in. `chat`: also with an access token of that scope. `owner`: the owner, signed in. */
export type Right = 'person' | 'chat' | 'owner';

interface Needs {
  accounts: Accounts;
  access: AccessControl;
  limits: Limits;
}

/** The user of a request. Throws `unauthorized`, `forbidden`; cuts it when its session or token ends. */
export const createIdentify = ({ accounts, access, limits }: Needs) => {
  const bearerGuard = createBearerGuard({ access, limits });

  const ofToken = async (request: FastifyRequest, reply: FastifyReply): Promise<Identity> => {
    const { userId, scopes } = await bearerGuard(request, reply);
    if (!scopes.includes('chat'))
      throw errors.forbidden({ message: 'This access token may not chat', fix: 'Create one with chat.' });
    return { userId, isOwner: false };
  };

  const ofSession = async (request: FastifyRequest, reply: FastifyReply): Promise<Identity> => {
    const session = await accounts.session(credentialsOf(request));
    if (!session) throw errors.unauthorized();
    const stopWatching = accounts.watch(session, () => reply.raw.destroy());
    atClose(reply, stopWatching);
    return { userId: session.user.id, isOwner: session.user.isOwner };
  };

  return async (request: FastifyRequest, reply: FastifyReply, right: Right): Promise<Identity> => {
    if (right === 'chat' && request.headers.authorization !== undefined) return ofToken(request, reply);
    const identity = await ofSession(request, reply);
    if (right === 'owner' && !identity.isOwner) throw errors.forbidden();
    return identity;
  };
};
