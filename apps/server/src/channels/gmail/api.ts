import { jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { createAccessToken, createServiceAccount, type GrantRefused } from '../../jwt/index.ts';
import type { ServiceReply } from '../../outside/index.ts';
import { PlatformError } from '../adapter.ts';
import {
  createGoogleCalls,
  googleHosts,
  readGoogle,
  type GoogleCall,
  type PostForm,
} from '../google-calls.ts';
import { gmailScopes } from './consent.ts';

/** A file of 8 MiB, as its answer encodes it. */
const limits = { ms: 60_000, maxBytes: 12 * 1_024 * 1_024 };
const waitMs = 10_000;

interface Needs {
  clock: Clock;
  /** In place of Google's addresses; empty: those. */
  url: string;
  access: MailboxAccess;
}

/** How the mailbox is reached: what its person has allowed, or by a service account of its Workspace. */
export type MailboxAccess =
  | { by: 'client'; clientId: string; clientSecret: string; refreshToken: string }
  | { by: 'service'; key: string; mailbox: string };

const toServiceError = ({ reason, message }: GrantRefused): PlatformError =>
  new PlatformError(
    'key',
    reason === 'unauthorized_client'
      ? 'The service account may not act for this mailbox. In the admin console of the Workspace, under ' +
          'Security, API controls, Domain-wide delegation, add its client id with the scopes ' +
          `${gmailScopes.join(',')}.`
      : `Google refuses the key of the service account, or knows no such mailbox: ${reason ?? message}.`,
  );

const toClientError = ({ reason, message }: GrantRefused): PlatformError =>
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
        'gmail.readonly and gmail.send. Where Google posts, its account for Gmail has to be a publisher of the topic.',
    );
  if (status >= 500) return new PlatformError('network', 'Gmail has a problem');
  return new PlatformError('refused', `Gmail refuses the request: ${words}`);
};

const accountOf = (access: MailboxAccess, { clock, post }: { clock: Clock; post: PostForm }) => {
  if (access.by === 'service') {
    const { key: json, mailbox: subject } = access;
    const audience = `${googleHosts.token}/token`;
    return createServiceAccount({ clock, json, scopes: gmailScopes, subject, audience, post });
  }
  const { clientId, clientSecret, refreshToken } = access;
  const form = async () =>
    new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: clientId,
      client_secret: clientSecret,
      refresh_token: refreshToken,
    });
  return createAccessToken({ clock, form, post });
};

/** Calls of Gmail's API for one mailbox. All throw `PlatformError`. */
export const createGmailApi = ({ clock, url, access }: Needs) => {
  const google = createGoogleCalls({
    ...{ clock, url, limits },
    account: (post) => accountOf(access, { clock, post }),
    toGrantError: access.by === 'client' ? toClientError : toServiceError,
  });

  const call = async (path: string, given: GoogleCall): Promise<unknown> => {
    const answer = await google.call('mail', path, given);
    if (answer.status === 404) return null;
    if (answer.status >= 400) throw toError(answer);
    return readGoogle(answer);
  };

  return {
    /** Null where there is no such thing. `path`: below the mailbox. */
    get: (path: string, query: Record<string, string>, signal: AbortSignal): Promise<unknown> =>
      call(`/gmail/v1/users/me/${path}?${new URLSearchParams(query)}`, { method: 'GET', signal }),
    /** Has Gmail publish changes of the inbox to a topic, for 7 days. */
    watch: (topicName: string, signal: AbortSignal): Promise<unknown> =>
      call('/gmail/v1/users/me/watch', {
        method: 'POST',
        body: { type: 'application/json', text: JSON.stringify({ topicName, labelIds: ['INBOX'] }) },
        signal,
      }),
    document: google.document,
    /** Sends a mail; null where its thread is gone. */
    upload: (body: { type: string; text: string }, signal: AbortSignal): Promise<unknown> =>
      call('/upload/gmail/v1/users/me/messages/send?uploadType=multipart', { method: 'POST', body, signal }),
  };
};

export type GmailApi = ReturnType<typeof createGmailApi>;
