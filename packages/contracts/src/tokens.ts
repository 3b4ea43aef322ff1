import { z } from 'zod';
import { toolGroups } from './groups.ts';
import { isoTime } from './ids.ts';

export const tokenLimits = { nameLength: 64, perUser: 50, defaultDays: 90, mostDays: 366 } as const;

/** No invisible characters, direction marks or line breaks. */
const visibleText = /^[^\p{C}\p{Zl}\p{Zp}]+$/u;

/** Owner tokens alone may have it. */
export const ownerScope = 'operate';

/**
 * What an access token may use: tools of a group; with `chat` the agent's threads over HTTP and no tool. At
 * the JSON-RPC door: `agent` its own sessions, `node` a companion, `operate` the operation of the server.
 */
export const tokenScopeNames = [...toolGroups, 'chat', 'agent', 'node', ownerScope] as const;
export type TokenScope = (typeof tokenScopeNames)[number];
export const tokenScopes = z.array(z.enum(tokenScopeNames)).min(1).max(tokenScopeNames.length);

export const createTokenInput = z.strictObject({
  name: z.string().trim().min(1).max(tokenLimits.nameLength).regex(visibleText, 'must be visible characters'),
  scopes: tokenScopes.default(['filesystemRead']),
  expiresInDays: z.number().int().min(1).max(tokenLimits.mostDays).default(tokenLimits.defaultDays),
});
export type CreateTokenInput = z.infer<typeof createTokenInput>;

/** An access token without its secret. `lastUsedAt` is exact to the minute. */
export const accessToken = z.object({
  id: z.string(),
  name: z.string(),
  scopes: tokenScopes,
  createdAt: isoTime,
  expiresAt: isoTime,
  lastUsedAt: isoTime.nullable(),
  /** The address of its last request. */
  lastUsedFrom: z.string().nullable(),
});
export type AccessToken = z.infer<typeof accessToken>;

/** The secret is shown once, when the token is created. */
export const createdToken = accessToken.extend({ token: z.string() });
export type CreatedToken = z.infer<typeof createdToken>;

export const tokenIdInput = z.strictObject({ id: z.string().min(1).max(64) });
