import type { User } from '@drawbridge/contracts/accounts';

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
