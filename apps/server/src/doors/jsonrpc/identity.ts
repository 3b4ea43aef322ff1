import type { TokenScope } from '@drawbridge/contracts/tokens';
import type { Access, Session } from '../../auth/index.ts';
import { bearerCaller, userCaller, type Caller } from '../../callers/index.ts';
import { errors } from '../../errors.ts';
import type { Sender } from '../../nodes/index.ts';

/** Who a connection belongs to. `principal` differs from that of every other token and user. */
export type Identity = {
  userId: string;
  isOwner: boolean;
  principal: string;
  caller: Caller;
} & (
  | { kind: 'token'; access: Access; bearer: string }
  /** Opened with a ticket of a signed-in person: interactive. */
  | { kind: 'person'; session: Session }
);

export const tokenIdentity = (access: Access, bearer: string, isOwner: boolean): Identity => {
  const caller = bearerCaller(access);
  return { kind: 'token', access, bearer, isOwner, userId: access.userId, principal: caller.id, caller };
};

export const personIdentity = (session: Session): Identity => {
  const { id: userId, isOwner } = session.user;
  return {
    kind: 'person',
    session,
    userId,
    isOwner,
    principal: `person ${userId}`,
    caller: userCaller(userId),
  };
};

/** How the presence of a connection is shown. */
export const presenceOf = (identity: Identity): Sender => {
  const { userId, caller } = identity;
  const ofPerson = {
    senderId: userId,
    senderName: identity.kind === 'person' ? identity.session.user.name : '',
  };
  const sender = caller.via ? { senderId: caller.via.id, senderName: caller.via.name } : ofPerson;
  return { userId, channel: 'ws', ...sender };
};

/**
 * Who may call a method. `any`: every connection. `agent`, `node`: a person, or a token with that scope.
 * `tools`: a person, or a token within its groups. `operate`: the owner, or a token with that scope of
 * theirs. `person`: signed in. `owner`: the owner, signed in.
 */
export type Who = 'any' | 'agent' | 'tools' | 'node' | 'operate' | 'person' | 'owner';

/** What keeps a connection from a method; null for nothing. `missingScope` names the scope it lacks. */
interface Obstacle {
  error: ReturnType<typeof errors.forbidden>;
  facts: { missingScope?: TokenScope };
}

const ownerOnly: Obstacle = {
  error: errors.forbidden({ message: 'Only the owner of the server may do this' }),
  facts: {},
};

const personOnly: Obstacle = {
  error: errors.forbidden({ message: 'No access token may do this', fix: 'Sign in and do it in the panel.' }),
  facts: {},
};

export const obstacleFor = (who: Who, identity: Identity): Obstacle | null => {
  const needsScope = (scope: TokenScope): Obstacle | null => {
    if (identity.kind === 'person' || identity.access.scopes.includes(scope)) return null;
    const message = `This access token lacks the scope ${scope}`;
    return { error: errors.forbidden({ message }), facts: { missingScope: scope } };
  };
  switch (who) {
    case 'any':
    case 'tools':
      return null;
    case 'agent':
    case 'node':
      return needsScope(who);
    case 'operate':
      return identity.isOwner ? needsScope(who) : ownerOnly;
    case 'person':
      return identity.kind === 'person' ? null : personOnly;
    case 'owner':
      if (identity.kind !== 'person') return personOnly;
      return identity.isOwner ? null : ownerOnly;
    default:
      return who satisfies never;
  }
};
