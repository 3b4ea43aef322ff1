import type { Accounts, Session } from '../../auth/index.ts';
import type { Gateway } from '../../gateway/index.ts';

/** What a procedure has at hand. */
export interface Context {
  gateway: Gateway;
  accounts: Accounts;
  session: Session | null;
  /** Counts a try at a token from outside; throws `tooManyRequests`. */
  countAttempt(): Promise<void>;
  /** Puts `Set-Cookie` values on the answer. */
  setCookies(cookies: string[]): void;
}
