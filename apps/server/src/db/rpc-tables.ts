/** A ticket that was not used yet. */
export interface RpcTicketTable {
  digest: string;
  /** The session that it was made for. */
  sessionToken: string;
  expiresAt: number;
}

/** The name of a thread at the JSON-RPC door. */
export interface RpcSessionTable {
  userId: string;
  /** `person`, or the token whose namespace it is: `token:<id>`. */
  principal: string;
  sessionId: string;
  threadId: string;
  createdAt: number;
}

export interface RpcTables {
  rpcTickets: RpcTicketTable;
  rpcSessions: RpcSessionTable;
}
