import { z } from 'zod';
import { toolGroups } from './groups.ts';
import { isoTime } from './ids.ts';
import { namedMachines } from './machines/summary.ts';

export const tokenLimits = { nameLength: 64, perUser: 50, defaultDays: 90, mostDays: 366 } as const;

/** No invisible characters, direction marks or line breaks. */
const visibleText = /^[^\p{C}\p{Zl}\p{Zp}]+$/u;

/** What an access token may use: tools of a group, or with `chat` the agent's threads and no tool. */
export const tokenScopeNames = [...toolGroups, 'chat'] as const;
export type TokenScope = (typeof tokenScopeNames)[number];
export const tokenScopes = z.array(z.enum(tokenScopeNames)).min(1).max(tokenScopeNames.length);

export const createTokenInput = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(tokenLimits.nameLength)
      .regex(visibleText, 'must be visible characters'),
    scopes: tokenScopes.default(['filesystemRead']),
    expiresInDays: z.number().int().min(1).max(tokenLimits.mostDays).default(tokenLimits.defaultDays),
    /** Ids; left out, the token may use every machine, also later ones. */
    machines: namedMachines.optional(),
  })
  // A thread of the agent chooses its machine itself.
  .refine(({ scopes, machines }) => machines === undefined || !scopes.includes('chat'), {
    path: ['machines'],
    message: 'a token with the scope chat reaches every machine',
  });
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
