import { apiKey } from '@better-auth/api-key';
import { passwordLimits, type User } from '@drawbridge/contracts/accounts';
import { tokenLimits } from '@drawbridge/contracts/tokens';
import { betterAuth, type BetterAuthPlugin, type GenericEndpointContext } from 'better-auth';
import { APIError } from 'better-auth/api';
import { getAdapter } from 'better-auth/db/adapter';
import { getMigrations } from 'better-auth/db/migration';
import { nanoid } from 'nanoid';
import type { Store } from '../db/index.ts';
import type { Network } from '../outside/index.ts';
import type { Logger } from '../program/log.ts';
import { codesExpireSoon, consentPage, oauthPlugins } from './clients/oauth-provider.ts';
import type { Refreshes } from './clients/refreshes.ts';
import { changingRights } from './changing-rights.ts';
import { digest } from './digest.ts';
import { lendContexts, noteFailure } from './one-context.ts';
import { digestTokens } from './sessions/digested-tokens.ts';
import { earlierCookiePrefix } from './sessions/earlier-cookie.ts';

/** The only value of `ownerSlot`: the column is unique, so concurrent requests create one owner. */
export const ownerSlot = 'owner';

/** A row of better-auth's, as far as we read it. */
export interface UserRow extends Record<string, unknown> {
  id: string;
  name: string;
  email: string;
  ownerSlot?: string | null;
}

export const userOf = ({ id, name, email, ownerSlot: slot }: UserRow): User => ({
  id,
  name,
  email,
  isOwner: slot === ownerSlot,
});

/** Of this installation: a browser sends the cookies of a host to every port of it. */
const cookiePrefixOf = (secret: string): string =>
  `${earlierCookiePrefix}-${digest(`cookie name ${secret}`).slice(0, 8)}`;

const daySeconds = 24 * 60 * 60;

/** Invitations live beside the accounts and are made by the same migrations. */
const invitations = {
  id: 'drawbridge-invitations',
  schema: {
    invitation: {
      fields: {
        digest: { type: 'string', required: true, unique: true },
        createdBy: { type: 'string', required: true },
        createdAt: { type: 'date', required: true },
        expiresAt: { type: 'date', required: true },
      },
    },
  },
} satisfies BetterAuthPlugin;

/** Links for a new password, beside the invitations. */
const passwordResets = {
  id: 'drawbridge-password-resets',
  schema: {
    passwordReset: {
      fields: {
        digest: { type: 'string', required: true, unique: true },
        userId: { type: 'string', required: true },
        createdAt: { type: 'date', required: true },
        expiresAt: { type: 'date', required: true },
      },
    },
  },
} satisfies BetterAuthPlugin;

/** The status with which a disabled account is refused: the password was right. */
const disabledStatus = 'LOCKED';

/** A hook of better-auth: no session is created for a disabled account. */
const refuseDisabled = {
  create: {
    before: async ({ userId }: { userId: string }, context: GenericEndpointContext | null) => {
      const user = await context?.context.internalAdapter.findUserById(userId);
      if (user && 'disabledAt' in user && user.disabledAt)
        throw new APIError(disabledStatus, { message: 'This account is disabled' });
    },
  },
};

/** What every access token begins with. */
export const tokenPrefix = 'dbt_';

/** Access tokens: its keys, made by it and read by `tokens.store.ts`. Its endpoints are not served. */
const tokens = apiKey({
  requireName: true,
  maximumNameLength: tokenLimits.nameLength,
  customKeyGenerator: () => `${tokenPrefix}${nanoid(32)}`,
  startingCharactersConfig: { shouldStore: false },
  keyExpiration: { minExpiresIn: 1, maxExpiresIn: tokenLimits.mostDays },
  // It would write to the store at each use.
  rateLimit: { enabled: false },
});

/** What it does not keep of a token. */
const tokenUse = {
  id: 'drawbridge-token-use',
  schema: { apikey: { fields: { lastUsedFrom: { type: 'string', required: false, input: false } } } },
} satisfies BetterAuthPlugin;

/** The end of a warning at each start on SQLite, about lists that better-auth itself stores as text. */
const listAsText = 'Expected string[] but got TEXT.';

/** What it says of a failed sign-in; our route logs the account and the address. */
const signInRefusals = new Set(['User not found', 'Password not found', 'Invalid password']);

/** How passwords are kept and compared. */
export interface Passwords {
  hash(password: string): Promise<string>;
  verify(given: { hash: string; password: string }): Promise<boolean>;
}

interface BetterAuthNeeds {
  /** Better-auth reads its own tables here, and makes them on `migrating`; our schema does not name them. */
  store: Pick<Store, 'db' | 'dialect' | 'changeRights'>;
  migrating: Store['db'];
  secret: string;
  /** The origin under which the server is reached; https makes its cookies secure. */
  url: string;
  log: Logger;
  /** Where documents about clients are fetched. */
  outside: Network;
  refreshes: Pick<Refreshes, 'plugin'>;
  /** How passwords are kept; better-auth's own scrypt when undefined. */
  passwords?: Passwords | undefined;
}

const optionsOf = ({ store, secret, url, log, passwords, ...oauth }: BetterAuthNeeds) => ({
  appName: 'Drawbridge',
  baseURL: url,
  basePath: '/api/auth',
  secret,
  database: { db: store.db, type: store.dialect, transaction: true },
  emailAndPassword: {
    enabled: true,
    disableSignUp: true,
    minPasswordLength: passwordLimits.minLength,
    maxPasswordLength: passwordLimits.maxLength,
    ...(passwords && { password: passwords }),
  },
  user: {
    additionalFields: {
      ownerSlot: { type: 'string' as const, required: false, unique: true, input: false },
      disabledAt: { type: 'date' as const, required: false, input: false },
    },
  },
  session: { expiresIn: 30 * daySeconds, disableSessionRefresh: true, cookieCache: { enabled: false } },
  plugins: [invitations, passwordResets, tokens, tokenUse, ...oauthPlugins(url, oauth)],
  databaseHooks: { verification: codesExpireSoon, session: refuseDisabled },
  onAPIError: {
    errorURL: consentPage,
    onError: (error: unknown) => {
      noteFailure(error);
      log.debug({ err: error }, 'refused by the account library');
    },
  },
  // The door in front of it checks the origin and counts attempts.
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  advanced: {
    cookiePrefix: cookiePrefixOf(secret),
    useSecureCookies: url.startsWith('https:'),
    defaultCookieAttributes: { httpOnly: true, sameSite: 'lax' as const },
    ipAddress: { disableIpTracking: true },
    disableOriginCheck: true,
    disableCSRFCheck: true,
  },
  logger: {
    level: 'warn' as const,
    log: (level: 'debug' | 'info' | 'success' | 'warn' | 'error', message: string) => {
      if (message.endsWith(listAsText) || signInRefusals.has(message)) return;
      log[level === 'success' ? 'info' : level](message);
    },
  },
});

/** Better-auth on our store, with its tables brought up to date. Call it while no other process does. */
export const createBetterAuth = async (needs: BetterAuthNeeds) => {
  lendContexts();
  const options = optionsOf(needs);
  const database = { ...options.database, db: needs.migrating };
  const { runMigrations } = await getMigrations({ ...options, database });
  await runMigrations();
  const adapter = changingRights(digestTokens(await getAdapter(options)), needs.store);
  const auth = betterAuth({ ...options, database: () => adapter });
  // At the first start it writes a row of the OAuth provider.
  await auth.$context;
  return auth;
};

export type Auth = Awaited<ReturnType<typeof createBetterAuth>>;
