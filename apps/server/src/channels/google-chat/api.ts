import { jsonOf, type Clock } from '@drawbridge/kit';
import { createServiceAccount, GrantRefused } from '../../jwt/index.ts';
import type { ServiceReply } from '../../outside/index.ts';
import { PlatformError } from '../adapter.ts';
import { createPlatformFetch } from '../platform-fetch.ts';

/** Each of Google's, or all at one other address. */
const hosts = {
  chat: 'https://chat.googleapis.com',
  pubsub: 'https://pubsub.googleapis.com',
  token: 'https://oauth2.googleapis.com',
  keys: 'https://www.googleapis.com',
} as const;
export type GoogleHost = keyof typeof hosts;

const scopes = ['https://www.googleapis.com/auth/chat.bot', 'https://www.googleapis.com/auth/pubsub'];
/** A pull waits for messages for more than a minute. */
const limits = { ms: 120_000, maxBytes: 8 * 1_024 * 1_024 };
/** A post waits for keys. */
const documentLimits = { ms: 10_000, maxBytes: 1_024 * 1_024 };

interface Needs {
  clock: Clock;
  /** Empty: Google's own. */
  url: string;
  /** The key of the service account. */
  key: string;
}

const refusedKey = (why: string) =>
  new PlatformError('key', `Google refuses the key of the service account: ${why}.`);

const toError = (status: number, answer: unknown): PlatformError => {
  const words = JSON.stringify(answer ?? '').slice(0, 300);
  if (status === 401) return refusedKey('not accepted');
  if (status === 429) return new PlatformError('rate', 'Google asks to wait', 2_000);
  if (status >= 500) return new PlatformError('network', 'Google has a problem');
  if (status === 403 || status === 404)
    return new PlatformError('gone', `Google does not let the app do this: ${words}`);
  return new PlatformError('refused', `Google refuses the request: ${words}`);
};

interface Call {
  method: string;
  body?: object;
  signal: AbortSignal;
}

/** Calls of Google's APIs as a service account. All throw `PlatformError`. */
export const createGoogleApi = ({ clock, url, key }: Needs) => {
  const origins = { ...hosts };
  const addressOf = (host: GoogleHost, path: string) => new URL((url || origins[host]) + path);
  const request = createPlatformFetch({ clock, name: 'Google', limits });
  const read = createPlatformFetch({ clock, name: 'Google', limits: documentLimits });

  const account = createServiceAccount({
    clock,
    json: key,
    scopes,
    audience: `${hosts.token}/token`,
    post: (form, signal) =>
      request(addressOf('token', '/token'), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
        signal,
      }),
  });
  const tokenFor = (signal: AbortSignal) =>
    account.token(signal).catch((error: unknown) => {
      if (error instanceof GrantRefused) throw refusedKey(error.message);
      if (error instanceof PlatformError || signal.aborted) throw error;
      throw new PlatformError('network', 'Google gave no access token');
    });

  const attempt = async (to: URL, { method, body, signal }: Call): Promise<ServiceReply> =>
    request(to, {
      method,
      headers: {
        authorization: `Bearer ${await tokenFor(signal)}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal,
    });

  return {
    email: account.email,
    tokenFor,
    call: async (host: GoogleHost, path: string, given: Call): Promise<unknown> => {
      const to = addressOf(host, path);
      let answer = await attempt(to, given);
      // The token has ended early.
      if (answer.status === 401) {
        account.forget();
        answer = await attempt(to, given);
      }
      const parsed = jsonOf(answer.text);
      if (answer.status >= 400) throw toError(answer.status, parsed);
      if (parsed === undefined)
        throw new PlatformError('network', 'Google gave an answer that is not its own');
      return parsed;
    },
    /** A public document. */
    document: async (path: string): Promise<unknown> => {
      const { signal } = new AbortController();
      const { status, text } = await read(addressOf('keys', path), { signal });
      if (status !== 200) throw new Error(`HTTP ${status}`);
      return jsonOf(text);
    },
  };
};

export type GoogleApi = ReturnType<typeof createGoogleApi>;
