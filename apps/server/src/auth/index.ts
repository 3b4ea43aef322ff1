export { viaOf, type Access, type AccessControl, type Tokens } from './access.ts';
export type { Accounts, Session } from './accounts.ts';
export { createAuthRoutes } from './auth.route.ts';
export { createBearerGuard } from './bearer-guard.ts';
export { createBetterAuth } from './better-auth.ts';
export { createAccess } from './create-access.ts';
export { createAccounts } from './create-accounts.ts';
export { readSecret } from './secret.ts';
