import {
  ownerScope,
  tokenLimits,
  tokenScopeNames,
  type AccessToken,
  type CreatedToken,
  type CreateTokenInput,
  type UpdateTokenInput,
} from '@drawbridge/contracts/tokens';
import type { Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import type { Access, Refusal } from '../access.ts';
import type { Auth } from '../better-auth.ts';
import { createLastUsedThrottle } from '../last-used.ts';
import type { StoredToken, TokensStore } from './tokens.store.ts';

const daySeconds = 24 * 60 * 60;

const iso = (at: number) => new Date(at).toISOString();

const toAccessToken = ({ createdAt, expiresAt, lastUsedAt, ...rest }: StoredToken): AccessToken => ({
  ...rest,
  createdAt: iso(createdAt),
  expiresAt: iso(expiresAt),
  lastUsedAt: lastUsedAt === null ? null : iso(lastUsedAt),
});

/** What a token may use. */
export type TokenRights = Pick<StoredToken, 'scopes' | 'machines'>;

/** Whether it may do all that it could then; without machines it is all of them. */
const mayStill = (now: TokenRights, then: TokenRights): boolean =>
  then.scopes.every((scope) => now.scopes.includes(scope)) &&
  (now.machines === undefined || then.machines?.every((id) => now.machines?.includes(id)) === true);

interface TokensNeeds {
  auth: Auth;
  clock: Clock;
  store: TokensStore;
  /** Throws `notFound` for a machine that is not the user's. */
  requireOwn(userId: string, machineIds: readonly string[]): Promise<void>;
  isOwner(userId: string): Promise<boolean>;
  /** Called after a revocation; ends what is open with the tokens. */
  onRevoked(): Promise<void>;
  onError(error: unknown): void;
}

/** Access tokens: better-auth makes them and keeps their digests. */
export const createTokens = (needs: TokensNeeds) => {
  const { auth, clock, store, isOwner, requireOwn, onRevoked, onError } = needs;
  const holds = (token: { expiresAt: number }) => token.expiresAt > clock.now();

  const noteUse = createLastUsedThrottle({ clock, store, onError });

  /** Throws as `create`. Gives the permissions as they are kept. */
  const requireGrant = async (userId: string, { scopes, machines }: TokenRights) => {
    if (scopes.includes(ownerScope) && !(await isOwner(userId)))
      throw errors.forbidden({ message: `Only the owner can create a token with ${ownerScope}` });
    if (machines) await requireOwn(userId, machines);
    const tools = tokenScopeNames.filter((scope) => scopes.includes(scope));
    return { tools, ...(machines && { machines }) };
  };

  /** The person's own tokens. Ids of another user answer as unknown ones: `notFound`. */
  const tokens = {
    /**
     * Throws `tooManyTokens` at the limit, `forbidden` for the owner's scope of another user, and as
     * `requireOwn`.
     */
    create: async (
      userId: string,
      { name, scopes, expiresInDays, machines }: CreateTokenInput,
    ): Promise<CreatedToken> => {
      const permissions = await requireGrant(userId, { scopes, machines });
      const made = await auth.api.createApiKey({
        body: { userId, name, expiresIn: expiresInDays * daySeconds, permissions },
      });
      const all = await store.ofUser(userId);
      const own = all.find(({ id }) => id === made.id);
      // Counted after the insert, so that concurrent requests cannot exceed the limit.
      if (own === undefined || all.length > tokenLimits.perUser) {
        await store.discard(userId, made.id);
        throw errors.tooManyTokens();
      }
      return { ...toAccessToken(own), token: made.key };
    },
    /** Those that hold, newest first. */
    list: async (userId: string) => (await store.ofUser(userId)).filter(holds).map(toAccessToken),
    /**
     * Throws `notFound`, and as `create`. `isLess`: it may do less than before, and what was open with it has
     * ended when this resolves.
     */
    update: async (
      userId: string,
      { id, name, ...rights }: UpdateTokenInput,
    ): Promise<{ token: AccessToken; isLess: boolean }> => {
      const permissions = await requireGrant(userId, rights);
      const find = async () => (await store.ofUser(userId)).filter(holds).find((one) => one.id === id);
      const before = await find();
      const isStored = before !== undefined && (await store.update(userId, id, { name, permissions }));
      const after = isStored ? await find() : undefined;
      if (before === undefined || after === undefined) throw errors.notFound();
      const isLess = !mayStill(after, before);
      if (isLess) await onRevoked();
      return { token: toAccessToken(after), isLess };
    },
    /** What is open with it has ended when this resolves. */
    revoke: async (userId: string, id: string) => {
      if (!(await store.revoke(userId, id))) throw errors.notFound();
      await onRevoked();
    },
    revokeAll: async (userId: string) => {
      await store.revokeAll(userId);
      await onRevoked();
    },
  };

  return {
    tokens,
    whyRefused: async (token: string): Promise<Refusal> => {
      const end = await store.endOf(token);
      if (end === null) return 'unknown';
      if (end.revoked) return 'revoked';
      return holds(end) ? 'unknown' : 'expired';
    },
    verify: async (token: string, from: string | null): Promise<Access | null> => {
      const found = await store.byToken(token);
      if (!found || !holds(found)) return null;
      noteUse(found.id, from);
      const { id, userId, name, scopes, machines } = found;
      return { kind: 'token', tokenId: id, userId, name, scopes, ...(machines && { machines }) };
    },
    /** Those whose token still holds, and may still do what it could. */
    live: async <Watched extends TokenRights & { id: string }>(watched: Watched[]): Promise<Watched[]> => {
      const known = await store.known([...new Set(watched.map(({ id }) => id))]);
      const now = new Map(known.filter(holds).map((token) => [token.id, token]));
      return watched.filter((then) => {
        const token = now.get(then.id);
        return token !== undefined && mayStill(token, then);
      });
    },
  };
};

export type Tokens = ReturnType<typeof createTokens>['tokens'];
