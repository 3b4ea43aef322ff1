import type { Accounts, Clients, Session, Tokens } from '../../auth/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import type { Places } from '../../http/index.ts';

/** What a procedure has at hand. */
export interface Context {
  gateway: Gateway;
  accounts: Accounts;
  tokens: Tokens;
  clients: Clients;
  session: Session | null;
  /** For subscriptions, by user. */
  streams: Places;
  /** Counts a try at a token from outside; throws `tooManyRequests`. */
  countAttempt(): Promise<void>;
  /** Puts `Set-Cookie` values on the answer. */
  setCookies(cookies: string[]): void;
}
