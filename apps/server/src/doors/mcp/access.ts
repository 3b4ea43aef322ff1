import type { ToolGroup } from '@drawbridge/contracts';

interface Granted {
  userId: string;
  /** The person's name for the token, or the client's own. */
  name: string;
  scopes: ToolGroup[];
}

/** What a bearer may do, and on whose behalf. */
export type Access = Granted & ({ kind: 'token'; tokenId: string } | { kind: 'client'; clientId: string });

/** Whoever comes with an access token. */
export interface AccessControl {
  /** What the bearer may do; null for one that is unknown, expired or revoked. `from` is the address that it came from. */
  verify(bearer: string, from?: string): Promise<Access | null>;
  /** Calls `ended` once when the access has ended; the returned function stops watching. */
  onRevoked(access: Access, ended: () => void): () => void;
}
