import { passwordLimits } from '@drawbridge/contracts';
import { betterAuth, type BetterAuthPlugin } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import type { Kysely } from 'kysely';
import type { Logger } from '../log.ts';

/** The one value of `ownerSlot`: the column is unique, so that there is one owner however many ask at once. */
export const ownerSlot = 'owner';

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

interface BetterAuthNeeds {
  /** Better-auth makes and reads its own tables here; our schema does not name them. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a Kysely of one schema is no Kysely of another, and better-auth asks for any.
  db: Kysely<any>;
  dbType: 'sqlite' | 'postgres';
  secret: string;
  /** The origin under which the server is reached; https makes its cookies secure. */
  url: string;
  log: Logger;
}

const optionsOf = ({ db, dbType, secret, url, log }: BetterAuthNeeds) => ({
  appName: 'Drawbridge',
  baseURL: url,
  basePath: '/api/auth',
  secret,
  database: { db, type: dbType, transaction: true },
  emailAndPassword: {
    enabled: true,
    disableSignUp: true,
    minPasswordLength: passwordLimits.minLength,
    maxPasswordLength: passwordLimits.maxLength,
  },
  user: {
    additionalFields: { ownerSlot: { type: 'string' as const, required: false, unique: true, input: false } },
  },
  session: { expiresIn: 30 * daySeconds, disableSessionRefresh: true, cookieCache: { enabled: false } },
  plugins: [invitations],
  // The door in front of it checks the origin and counts attempts.
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  advanced: {
    cookiePrefix: 'drawbridge',
    useSecureCookies: url.startsWith('https:'),
    defaultCookieAttributes: { httpOnly: true, sameSite: 'lax' as const },
    ipAddress: { disableIpTracking: true },
    disableOriginCheck: true,
    disableCSRFCheck: true,
  },
  logger: {
    level: 'warn' as const,
    log: (level: 'debug' | 'info' | 'success' | 'warn' | 'error', message: string) =>
      log[level === 'success' ? 'info' : level](message),
  },
});

/** Better-auth on our store, with its tables brought up to date. */
export const createBetterAuth = async (needs: BetterAuthNeeds) => {
  const options = optionsOf(needs);
  const { runMigrations } = await getMigrations(options);
  await runMigrations();
  return betterAuth(options);
};

export type Auth = Awaited<ReturnType<typeof createBetterAuth>>;
