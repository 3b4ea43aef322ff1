import { ownerOf, type Agent, type Sender } from '@drawbridge/agent';
import { toolScopes } from '@drawbridge/contracts/groups';
import { frontendOf, type NamedSession, type SessionUser } from '../../../agent/index.ts';
import { errors } from '../../../errors.ts';
import type { RpcContext } from '../context.ts';
import type { Identity } from '../identity.ts';
import type { Connection } from '../socket/connection.ts';

/** The agent. Throws `notAvailable` where it is switched off. */
export const requireAgent = ({ agent }: RpcContext): Agent => {
  if (!agent) throw errors.notAvailable({ message: 'This server runs without the agent' });
  return agent.agent;
};

const principalOf = ({ caller: { via } }: Identity): string => (via ? `${via.kind}:${via.id}` : 'person');

/** Whose names a connection uses. */
export const sessionUserOf = (identity: Identity): SessionUser => ({
  userId: identity.userId,
  principal: principalOf(identity),
});

/** Threads that a connection may count: a person's are all of theirs. */
export const threadScopeOf = (identity: Identity): { userId: string; principal: string | null } => {
  const { userId, principal } = sessionUserOf(identity);
  return { userId, principal: identity.kind === 'person' ? null : principal };
};

/** Who sends a message, with the groups of tools that its run may use. */
export const senderOf = (identity: Identity, sessionId: string): Sender => {
  const { userId, principal } = sessionUserOf(identity);
  const { scopes } = identity.caller;
  const groups = scopes === 'all' ? null : toolScopes.filter((group) => scopes.includes(group));
  const usesMemory = scopes === 'all' || scopes.includes('memory');
  return { userId, key: principal, channel: frontendOf(sessionId), groups, usesMemory };
};

/** The thread of a session, made for who sends its messages. */
export const makeThread = (ctx: RpcContext, { identity }: Pick<Connection, 'identity'>, threadId: string) =>
  requireAgent(ctx).threads.create(identity.userId, threadId, ownerOf(principalOf(identity)));

const sessionBy =
  (verb: 'find' | 'claim') =>
  async (
    { sessions }: Pick<RpcContext, 'sessions'>,
    { identity, ...connection }: Pick<Connection, 'identity' | 'sessionId'>,
    sessionId = connection.sessionId,
  ): Promise<NamedSession> => {
    const session = await sessions[verb](sessionUserOf(identity), sessionId);
    if (!session) throw errors.sessionNotFound();
    return session;
  };

/** The session with that name, or the connection's own. Throws `sessionNotFound`. */
export const requireSession = sessionBy('find');
/** The same; a name that is new gets a session. */
export const claimSession = sessionBy('claim');
