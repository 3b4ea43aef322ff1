import { jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { createAccessToken, GrantRefused } from '../../jwt/index.ts';
import type { ServiceReply } from '../../outside/index.ts';
import { PlatformError } from '../adapter.ts';
import { createPlatformFetch } from '../platform-fetch.ts';

/** Each of Google's, or all at one other address. */
const hosts = {
  mail: 'https://gmail.googleapis.com',
  token: 'https://oauth2.googleapis.com',
  keys: 'https://www.googleapis.com',
} as const;

/** A file of 8 MiB, as its answer encodes it. */
const limits = { ms: 60_000, maxBytes: 12 * 1_024 * 1_024 };
/** A post waits for keys. */
const documentLimits = { ms: 10_000, maxBytes: 1_024 * 1_024 };
const waitMs = 10_000;

interface Needs {
  clock: Clock;
  /** Empty: Google's own. */
  url: string;
  clientId: string;
  clientSecret: string;
  refreshToken: string;
}

const toGrantError = ({ reason, message }: GrantRefused): PlatformError =>
  new PlatformError(
    'key',
    reason === 'invalid_grant'
      ? 'Google no longer accepts the refresh token. Make another one. An OAuth app in status “Testing” ' +
          'loses its token after 7 days: publish the app first.'
      : `Google refuses the client id or its secret: ${reason ?? message}.`,
  );

const refusal = z.object({
  error: z.object({
    message: z.string().default(''),
    errors: z.array(z.object({ reason: z.string().default('') })).default([]),
  }),
});

/** Google says both with 403: too many requests, and a missing right. */
const isRate = /limit ?exceeded|quota/i;

const toError = ({ status, text, headers }: ServiceReply): PlatformError => {
  const { message = '', errors = [] } = refusal.safeParse(jsonOf(text)).data?.error ?? {};
  const words = message.slice(0, 300);
  if (status === 401)
    return new PlatformError('key', 'Google does not accept its own access token. Make another token.');
  if (status === 429 || (status === 403 && isRate.test(`${errors[0]?.reason} ${message}`))) {
    const seconds = Number(headers.get('retry-after'));
    return new PlatformError('rate', 'Gmail asks to wait', seconds > 0 ? seconds * 1_000 : waitMs);
  }
  if (status === 403)
    return new PlatformError(
      'key',
      `Google does not allow this: ${words}. Enable the Gmail API, and give the token the scopes ` +
        'gmail.readonly and gmail.send.',
    );
  if (status >= 500) return new PlatformError('network', 'Gmail has a problem');
  return new PlatformError('refused', `Gmail refuses the request: ${words}`);
};

interface Call {
  method?: string;
  body?: { type: string; text: string };
  signal: AbortSignal;
}

/** Calls of Gmail's API for one mailbox. All throw `PlatformError`. */
export const createGmailApi = ({ clock, url, clientId, clientSecret, refreshToken }: Needs) => {
  const request = createPlatformFetch({ clock, name: 'Google', limits });
  const read = createPlatformFetch({ clock, name: 'Google', limits: documentLimits });
  const addressOf = (host: keyof typeof hosts, path: string) => new URL((url || hosts[host]) + path);

  const access = createAccessToken({
    clock,
    form: async () =>
      new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: clientId,
        client_secret: clientSecret,
        refresh_token: refreshToken,
      }),
    post: (form, signal) =>
      request(addressOf('token', '/token'), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
        signal,
      }),
  });
  const tokenFor = (signal: AbortSignal) =>
    access.token(signal).catch((error: unknown) => {
      if (error instanceof GrantRefused) throw toGrantError(error);
      if (error instanceof PlatformError || signal.aborted) throw error;
      throw new PlatformError('network', 'Google gave no access token');
    });

  const attempt = async (to: URL, { method = 'GET', body, signal }: Call): Promise<ServiceReply> =>
    request(to, {
      method,
      headers: {
        authorization: `Bearer ${await tokenFor(signal)}`,
        ...(body && { 'content-type': body.type }),
      },
      ...(body && { body: body.text }),
      signal,
    });

  const call = async (path: string, given: Call): Promise<unknown> => {
    const to = addressOf('mail', path);
    let answer = await attempt(to, given);
    // The token has ended early.
    if (answer.status === 401) {
      access.forget();
      answer = await attempt(to, given);
    }
    if (answer.status === 404) return null;
    if (answer.status >= 400) throw toError(answer);
    const parsed = jsonOf(answer.text);
    if (parsed === undefined) throw new PlatformError('network', 'Gmail gave an answer that is not its own');
    return parsed;
  };

  return {
    /** Null where there is no such thing. `path`: below the mailbox. */
    get: (path: string, query: Record<string, string>, signal: AbortSignal): Promise<unknown> =>
      call(`/gmail/v1/users/me/${path}?${new URLSearchParams(query)}`, { signal }),
    /** Has Gmail publish changes of the inbox to a topic, for 7 days. */
    watch: (topicName: string, signal: AbortSignal): Promise<unknown> =>
      call('/gmail/v1/users/me/watch', {
        method: 'POST',
        body: { type: 'application/json', text: JSON.stringify({ topicName, labelIds: ['INBOX'] }) },
        signal,
      }),
    /** A public document of Google. */
    document: async (path: string): Promise<unknown> => {
      const { status, text } = await read(addressOf('keys', path), { signal: new AbortController().signal });
      if (status !== 200) throw new Error(`HTTP ${status}`);
      return jsonOf(text);
    },
    /** Sends a mail; null where its thread is gone. */
    upload: (body: { type: string; text: string }, signal: AbortSignal): Promise<unknown> =>
      call('/upload/gmail/v1/users/me/messages/send?uploadType=multipart', { method: 'POST', body, signal }),
  };
};

export type GmailApi = ReturnType<typeof createGmailApi>;
