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

/** The browser that opens a session, as it names itself. */
export interface FromBrowser {
  userAgent?: string | undefined;
}

/** Of the browser alone: nothing else of the request is for the session. */
export const browserHeaders = ({ userAgent }: FromBrowser): Headers =>
  new Headers(userAgent === undefined ? {} : { 'user-agent': userAgent });

/** What a request says about who made it: its `Cookie` header and the proof of the session. */
export interface Credentials {
  cookie: string | undefined;
  proof: string | undefined;
}
