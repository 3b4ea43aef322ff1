import type { FastifyReply, FastifyRequest } from 'fastify';
import { personSender, type Sender } from '@drawbridge/agent';
import { createBearerGuard, type AccessControl, type Accounts } from '../../auth/index.ts';
import { bearerCaller } from '../../callers/index.ts';
import { errors } from '../../errors.ts';
import { atClose, credentialsOf, type Limits } from '../../http/index.ts';

/** The user of a request. */
export interface Identity {
  userId: string;
  isOwner: boolean;
  /** Who sends its messages; the key of a token is also the owner of its threads. */
  sender: Sender;
  /** Whose threads it uses: those of this token, or all of the person when null. */
  owner: string | null;
}

const channel = 'rest';

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
    const access = await bearerGuard(request, reply);
    const { userId, scopes } = access;
    if (!scopes.includes('chat'))
      throw errors.forbidden({ message: 'This access token may not chat', fix: 'Create one with chat.' });
    const { via } = bearerCaller(access);
    const owner = `${via.kind}:${via.id}`;
    const usesMemory = scopes.includes('memory');
    return {
      userId,
      isOwner: false,
      owner,
      sender: { userId, key: owner, channel, groups: null, usesMemory },
    };
  };

  const ofSession = async (request: FastifyRequest, reply: FastifyReply): Promise<Identity> => {
    const session = await accounts.session(credentialsOf(request));
    if (!session) throw errors.unauthorized();
    limits.unread.count(reply, session.user.id);
    const stopWatching = accounts.watch(session, () => reply.raw.destroy());
    atClose(reply, stopWatching);
    const { id: userId, isOwner } = session.user;
    return { userId, isOwner, owner: null, sender: personSender(userId, channel) };
  };

  return async (request: FastifyRequest, reply: FastifyReply, right: Right): Promise<Identity> => {
    if (right === 'chat' && request.headers.authorization !== undefined) return ofToken(request, reply);
    const identity = await ofSession(request, reply);
    if (right === 'owner' && !identity.isOwner) throw errors.forbidden();
    return identity;
  };
};
