import { z } from 'zod';
import { toolScopes } from './groups.ts';
import { isoTime } from './ids.ts';
import { namedMachines } from './machines/summary.ts';

export const tokenLimits = { nameLength: 64, perUser: 50, defaultDays: 90, mostDays: 366 } as const;

/** No invisible characters, direction marks or line breaks. */
const visibleText = /^[^\p{C}\p{Zl}\p{Zp}]+$/u;

/** Owner tokens alone may have it. */
export const ownerScope = 'operate';

/**
 * What an access token may use: tools of a group; with `chat` its own threads of the agent over HTTP and no
 * tool; with `memory` its threads know what the agent remembers of the person. At the JSON-RPC door: `agent`
 * its own sessions, `node` a companion, `operate` the operation of the server.
 */
export const tokenScopeNames = [...toolScopes, 'chat', 'agent', 'memory', 'node', ownerScope] as const;
export type TokenScope = (typeof tokenScopeNames)[number];
export const tokenScopes = z.array(z.enum(tokenScopeNames)).min(1).max(tokenScopeNames.length);

const isToolGroup = (scope: TokenScope): boolean => toolScopes.some((group) => group === scope);

const changeable = {
  name: z.string().trim().min(1).max(tokenLimits.nameLength).regex(visibleText, 'must be visible characters'),
  scopes: tokenScopes,
  /** Ids; left out, the token may use every machine, also later ones. */
  machines: namedMachines.optional(),
};

// A thread of the agent chooses its machine itself, and a companion reads all of them.
const reachesMachines = ({ scopes, machines }: { scopes: TokenScope[]; machines?: unknown }): boolean =>
  machines === undefined || scopes.every(isToolGroup);
const reaching = {
  path: ['machines'],
  message: 'go with tool groups only: the other scopes reach every machine',
};

export const createTokenInput = z
  .strictObject({
    ...changeable,
    scopes: tokenScopes.default(['filesystemRead']),
    expiresInDays: z.number().int().min(1).max(tokenLimits.mostDays).default(tokenLimits.defaultDays),
  })
  .refine(reachesMachines, reaching);
export type CreateTokenInput = z.infer<typeof createTokenInput>;

/** An access token without its secret. `lastUsedAt` is exact to the minute. */
export const accessToken = z.object({
  id: z.string(),
  name: z.string(),
  scopes: tokenScopes,
  /** The ids of the machines that it may use; absent: all. */
  machines: z.array(z.string()).optional(),
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

/** What the token has from now on, whole. Its secret and its end stay. */
export const updateTokenInput = z
  .strictObject({ ...tokenIdInput.shape, ...changeable })
  .refine(reachesMachines, reaching);
export type UpdateTokenInput = z.infer<typeof updateTokenInput>;
