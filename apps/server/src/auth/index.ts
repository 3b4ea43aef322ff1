export type { Accounts, Session } from './accounts.ts';
export { createAuthRoutes } from './auth.route.ts';
export { createBetterAuth } from './better-auth.ts';
export { createAccounts } from './create-accounts.ts';
export { readSecret } from './secret.ts';
