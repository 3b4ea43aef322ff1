import type { Person, User } from '@drawbridge/contracts/accounts';

/** A person who is signed in; `key` names the session inside the server: the digest of its token. */
export interface Session {
  key: string;
  user: User;
}

/** A fresh session: its proof, and the `Set-Cookie` values that carry it to the browser. */
export interface FreshSession {
  user: User;
  sessionProof: string;
  cookies: string[];
}

/** What a request says about who made it: its `Cookie` header and the proof of the session. */
export interface Credentials {
  cookie: string | undefined;
  proof: string | undefined;
}

/** The accounts of the server, with all that they have given out. Ids that name no account: `notFound`. */
export interface People {
  list(): Promise<Person[]>;
  /** Ends a user's access tokens, clients and machines; sessions stay. */
  endGrants(userId: string): Promise<void>;
  /** Blocks signing in; ends sessions, tokens, clients and machines. `forbidden` for the owner's account. */
  disable(userId: string): Promise<void>;
  enable(userId: string): Promise<void>;
  /** Disables and deletes the account, its machines and its calls. `forbidden` for the owner's account. */
  remove(userId: string): Promise<void>;
}
