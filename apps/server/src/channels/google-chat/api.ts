import { jsonOf, type Clock } from '@drawbridge/kit';
import { createServiceAccount } from '../../jwt/index.ts';
import { PlatformError } from '../adapter.ts';
import { createGoogleCalls, googleHosts, readGoogle, type GoogleHost } from '../google-calls.ts';

const scopes = ['https://www.googleapis.com/auth/chat.bot', 'https://www.googleapis.com/auth/pubsub'];
/** A pull waits for messages for more than a minute. */
const limits = { ms: 120_000, maxBytes: 8 * 1_024 * 1_024 };

interface Needs {
  clock: Clock;
  /** In place of Google's addresses; empty: those. */
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
  const google = createGoogleCalls({
    ...{ clock, url, limits },
    account: (post) =>
      createServiceAccount({ clock, json: key, scopes, audience: `${googleHosts.token}/token`, post }),
    toGrantError: ({ message }) => refusedKey(message),
  });
  return {
    email: google.account.email,
    tokenFor: google.tokenFor,
    call: async (host: GoogleHost, path: string, { body, ...given }: Call): Promise<unknown> => {
      const sent = body && { type: 'application/json', text: JSON.stringify(body) };
      const answer = await google.call(host, path, { ...given, ...(sent && { body: sent }) });
      if (answer.status >= 400) throw toError(answer.status, jsonOf(answer.text));
      return readGoogle(answer);
    },
    document: google.document,
  };
};

export type GoogleApi = ReturnType<typeof createGoogleApi>;
