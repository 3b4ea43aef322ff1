import type { TokenScope } from '@drawbridge/contracts/tokens';

/** What a bearer may do, and on whose behalf: less than the person who is signed in. */
interface Granted {
  userId: string;
  /** The person's name for the token, or the client's own. */
  name: string;
  /** The tool groups that it may use, and whether it may chat; never empty. */
  scopes: TokenScope[];
  /** The ids of the machines that it may use; undefined: all of the user. */
  machines?: string[] | undefined;
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
