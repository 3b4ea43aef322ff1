import { jsonOf, type Clock } from '@drawbridge/kit';
import { askWithToken, GrantRefused } from '../jwt/index.ts';
import type { ServiceReply } from '../outside/index.ts';
import { PlatformError } from './adapter.ts';
import { createPlatformFetch } from './platform-fetch.ts';

/** Used unless one address is set for all of them. */
export const googleHosts = {
  chat: 'https://chat.googleapis.com',
  mail: 'https://gmail.googleapis.com',
  pubsub: 'https://pubsub.googleapis.com',
  token: 'https://oauth2.googleapis.com',
  keys: 'https://www.googleapis.com',
  consent: 'https://accounts.google.com',
} as const;
export type GoogleHost = keyof typeof googleHosts;

/** Of public keys, which a post waits for. */
const documentLimits = { ms: 10_000, maxBytes: 1_024 * 1_024 };

export type PostForm = (form: URLSearchParams, signal: AbortSignal) => Promise<ServiceReply>;

interface Google {
  clock: Clock;
  /** In place of Google's addresses; empty: those. */
  url: string;
  limits: { ms: number; maxBytes: number };
}

interface Needs<Account> extends Google {
  /** Makes the account that gives access tokens. `post`: sends a form to Google's address for them. */
  account(post: PostForm): Account;
  toGrantError(error: GrantRefused): PlatformError;
}

export interface GoogleCall {
  method: string;
  body?: { type: string; text: string };
  signal: AbortSignal;
}

export const googleAddress = (url: string, host: GoogleHost, path: string): URL =>
  new URL((url || googleHosts[host]) + path);

/** Posts forms to Google's address for tokens. Throws `PlatformError`. */
export const createTokenPost = ({ clock, url, limits }: Google): PostForm => {
  const request = createPlatformFetch({ clock, name: 'Google', limits });
  return (form, signal) =>
    request(googleAddress(url, 'token', '/token'), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      signal,
    });
};

/** Calls of Google's APIs in the name of an account. All but `document` throw `PlatformError`. */
export const createGoogleCalls = <
  Account extends { token(signal: AbortSignal): Promise<string>; forget(): void },
>({
  clock,
  url,
  limits,
  account: open,
  toGrantError,
}: Needs<Account>) => {
  const request = createPlatformFetch({ clock, name: 'Google', limits });
  const read = createPlatformFetch({ clock, name: 'Google', limits: documentLimits });
  const account = open(createTokenPost({ clock, url, limits }));
  const tokenFor = (signal: AbortSignal) =>
    account.token(signal).catch((error: unknown) => {
      if (error instanceof GrantRefused) throw toGrantError(error);
      if (error instanceof PlatformError || signal.aborted) throw error;
      throw new PlatformError('network', 'Google gave no access token');
    });

  return {
    account,
    tokenFor,
    call: async (
      host: GoogleHost,
      path: string,
      { method, body, signal }: GoogleCall,
    ): Promise<ServiceReply> => {
      const to = googleAddress(url, host, path);
      return askWithToken({ token: tokenFor, forget: account.forget }, signal, (token) =>
        request(to, {
          method,
          headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': body.type }) },
          ...(body && { body: body.text }),
          signal,
        }),
      );
    },
    /** Reads a public document. */
    document: async (path: string): Promise<unknown> => {
      const { signal } = new AbortController();
      const { status, text } = await read(googleAddress(url, 'keys', path), { signal });
      if (status !== 200) throw new Error(`HTTP ${status}`);
      return jsonOf(text);
    },
  };
};

/** The JSON of an answer. Throws `PlatformError` for other text. */
export const readGoogle = ({ text }: ServiceReply): unknown => {
  const parsed = jsonOf(text);
  if (parsed === undefined) throw new PlatformError('network', 'Google gave an answer that is not its own');
  return parsed;
};
