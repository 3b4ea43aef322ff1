import type { Accounts, Session } from '../../auth/accounts.ts';
import type { Gateway } from '../../gateway/gateway.ts';

/** What a procedure has at hand. */
export interface Context {
  gateway: Gateway;
  accounts: Accounts;
  session: Session | null;
  /** Puts `Set-Cookie` values on the answer. */
  setCookies(cookies: string[]): void;
}
