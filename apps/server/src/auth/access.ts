import type { ClientRequest, ConnectedClient } from '@drawbridge/contracts/clients';
import type { AccessToken, CreatedToken, CreateTokenInput, TokenScope } from '@drawbridge/contracts/tokens';
import type { Session } from './accounts/accounts.ts';

/** What a bearer may do, and on whose behalf: less than the person who is signed in. */
interface Granted {
  userId: string;
  /** The person's name for the token, or the client's own. */
  name: string;
  /** The tool groups that it may use, and whether it may chat; never empty. */
  scopes: TokenScope[];
  /** The address that it was made for; without one it holds at every door that takes bearers. */
  resource?: string;
}

export type Access = Granted &
  (
    | { kind: 'token'; tokenId: string }
    /** `grantId` is the one access token of the client that it came with. */
    | { kind: 'client'; clientId: string; grantId: string }
  );

/** A token that was valid earlier, or a text that this server never issued, such as a typing error. */
export type Refusal = 'expired' | 'revoked' | 'unknown';

/** Verifies access tokens. */
export interface AccessControl {
  /**
   * What the bearer may do, as stored now; null for an unknown, expired or revoked token. `from` is the
   * address of the client, which the owner of the token sees.
   */
  verify(bearer: string, from?: string | null): Promise<Access | null>;
  /** Why a bearer that `verify` refused is no good. */
  whyRefused(bearer: string): Promise<Refusal>;
  /**
   * Calls `ended` once when the access is revoked or expired: at once if revoked in this process, else within
   * a second. A client with a valid refresh token keeps its access. Returns the function that unsubscribes.
   */
  onRevoked(access: Access, ended: () => void): () => void;
}

/** The person's own tokens. Ids of another user answer as unknown ones: `notFound`. */
export interface Tokens {
  /** Throws `tooManyTokens` when the person has as many as one may have. */
  create(userId: string, input: CreateTokenInput): Promise<CreatedToken>;
  /** Those that hold, newest first. */
  list(userId: string): Promise<AccessToken[]>;
  /** What is open with it has ended when this resolves. */
  revoke(userId: string, id: string): Promise<void>;
  revokeAll(userId: string): Promise<void>;
}

/** MCP clients that the user has connected by OAuth. Ids of another user count as unknown: `notFound`. */
export interface Clients {
  /** The client of a consent page of this session. Throws `notFound` for an unknown client or address. */
  request(query: string, session: Session): Promise<ClientRequest>;
  /** Newest first. */
  list(userId: string): Promise<ConnectedClient[]>;
  /** What is open with it has ended when this resolves. */
  revoke(userId: string, id: string): Promise<void>;
  revokeAll(userId: string): Promise<void>;
  /** Sets the redirect addresses, already validated, of a client that has registered itself. */
  setRedirects(clientId: string, redirectUris: string[]): Promise<void>;
  /** Deletes self-registered clients without a consent, except the newest. */
  forgetUnconnected(): Promise<void>;
}
