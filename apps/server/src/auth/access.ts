import type { ClientRequest, ConnectedClient } from '@drawbridge/contracts/clients';
import type { ToolGroup } from '@drawbridge/contracts/groups';
import type { AccessToken, CreatedToken, CreateTokenInput } from '@drawbridge/contracts/tokens';
import type { Session } from './accounts/accounts.ts';

/** What a bearer may do, and on whose behalf: less than the person who is signed in. */
interface Granted {
  userId: string;
  /** The person's name for the token, or the client's own. */
  name: string;
  /** The tool groups that it may use; never empty. */
  scopes: ToolGroup[];
  /** The address that it was made for; without one it holds at every door that takes bearers. */
  resource?: string;
}

export type Access = Granted &
  (
    | { kind: 'token'; tokenId: string }
    /** `grantId` is the one access token of the client that it came with. */
    | { kind: 'client'; clientId: string; grantId: string }
  );

/** A person's token that was good once, or a text that this server never made: mistyped, or of another server. */
export type Refusal = 'expired' | 'revoked' | 'unknown';

/** Whoever comes with an access token. */
export interface AccessControl {
  /**
   * What the bearer may do, as the store has it at this moment; null for one that is unknown, expired or revoked. `from` is the
   * address that it came from, which its owner sees.
   */
  verify(bearer: string, from?: string | null): Promise<Access | null>;
  /** Why a bearer that `verify` refused is no good. */
  whyRefused(bearer: string): Promise<Refusal>;
  /**
   * Calls `ended` once when the access is revoked or has expired: at once when it is revoked here, at most a second after
   * otherwise. A client's access goes on for what is open as long as it has a refresh token that holds. For what stays
   * open; the returned function stops watching.
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

/** MCP clients that the person has connected by OAuth. Ids of another user answer as unknown ones: `notFound`. */
export interface Clients {
  /** Who asks, by the query of the consent page that this session opened. Throws `notFound` for a client or an address that is not known. */
  request(query: string, session: Session): Promise<ClientRequest>;
  /** Newest first. */
  list(userId: string): Promise<ConnectedClient[]>;
  /** What is open with it has ended when this resolves. */
  revoke(userId: string, id: string): Promise<void>;
  revokeAll(userId: string): Promise<void>;
  /** Gives a client that has registered itself the addresses that its answers may go to, which have been looked at. */
  setRedirects(clientId: string, redirectUris: string[]): Promise<void>;
  /** Forgets clients that registered themselves and that nobody has connected, but for the newest. */
  forgetUnconnected(): Promise<void>;
}
