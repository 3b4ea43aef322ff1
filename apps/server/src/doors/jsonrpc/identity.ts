import type { TokenScope } from '@drawbridge/contracts/tokens';
import type { Access, Session, TailnetAccess } from '../../auth/index.ts';
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
  /** Opened through the tailnet: never interactive, never the owner. */
  | { kind: 'tailnet'; access: TailnetAccess }
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

export const tailnetIdentity = (access: TailnetAccess): Identity => {
  const { userId, login, scopes } = access;
  const via = { kind: 'tailnet' as const, id: login, name: login };
  const principal = JSON.stringify([userId, via.kind, login]);
  return { kind: 'tailnet', access, isOwner: false, userId, principal, caller: { userId, scopes, via } };
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
 * theirs. `person`: signed in. `reader`: the same, or who may operate. `owner`: the owner, signed in.
 */
export type Who = 'any' | 'agent' | 'tools' | 'node' | 'operate' | 'reader' | 'person' | 'owner';

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
  error: errors.forbidden({
    message: 'Only a person who is signed in may do this',
    fix: 'Sign in and do it in the panel.',
  }),
  facts: {},
};

export const obstacleFor = (who: Who, identity: Identity): Obstacle | null => {
  const needsScope = (scope: TokenScope): Obstacle | null => {
    const { scopes } = identity.caller;
    if (scopes === 'all' || scopes.includes(scope)) return null;
    const message = `This connection lacks the scope ${scope}`;
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
    case 'reader':
      return identity.kind === 'person' ? null : obstacleFor('operate', identity);
    case 'person':
      return identity.kind === 'person' ? null : personOnly;
    case 'owner':
      if (identity.kind !== 'person') return personOnly;
      return identity.isOwner ? null : ownerOnly;
    default:
      return who satisfies never;
  }
};

/** Whether a connection may see what concerns the whole server. */
export const mayOperate = (identity: Identity): boolean => obstacleFor('operate', identity) === null;

/** Whether it may see where the user's companions are. */
export const maySeeLocations = (identity: Identity): boolean => obstacleFor('reader', identity) === null;
