import { jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { askWithToken, createServiceAccount, GrantRefused } from '../../jwt/index.ts';
import { createServiceFetch, type ServiceReply } from '../../outside/index.ts';
import { topicOf } from '../send-push.ts';
import type { MobileSender, Sent } from './mobile-sender.ts';

const scope = 'https://www.googleapis.com/auth/firebase.messaging';
const audience = 'https://oauth2.googleapis.com/token';
const limits = { ms: 10_000, maxBytes: 64 * 1_024 };

interface Needs {
  clock: Clock;
  /** In place of Google's addresses; null: those. */
  url: string | null;
  /** The text of the key's file. */
  json: string;
}

const project = z.object({ project_id: z.string().regex(/^[a-z\d:.-]+$/) });
const refusal = z.object({
  error: z.object({
    status: z.string().max(100).optional(),
    details: z.array(z.looseObject({ errorCode: z.string().optional() })).default([]),
  }),
});

const toSent = ({ status, text }: ServiceReply): Sent => {
  if (status === 200) return { kind: 'sent' };
  const error = refusal.safeParse(jsonOf(text)).data?.error;
  if (status === 404 || error?.details.some(({ errorCode }) => errorCode === 'UNREGISTERED'))
    return { kind: 'gone' };
  return { kind: 'failed', why: `HTTP ${status} ${error?.status ?? ''}`.trim() };
};

/** Sends to devices by Google's service. Throws for a text that is no key of a service account. */
export const openFcm = ({ clock, url, json }: Needs): MobileSender => {
  const { project_id: id } = project.parse(jsonOf(json));
  const fetchAt = (origin: string) => createServiceFetch({ clock, name: 'FCM', origin, limits });
  const tokens = new URL(url ?? audience);
  const to = new URL(`/v1/projects/${id}/messages:send`, url ?? 'https://fcm.googleapis.com');
  const askForToken = fetchAt(tokens.origin);
  const ask = fetchAt(to.origin);
  const account = createServiceAccount({
    clock,
    json,
    scopes: [scope],
    audience,
    post: (form, signal) =>
      askForToken(new URL('/token', tokens), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
        signal,
      }),
  });
  if (account.email === null) throw new GrantRefused('this is no key of a service account');

  const post = (body: string, signal: AbortSignal): Promise<ServiceReply> =>
    askWithToken(account, signal, (token) =>
      ask(to, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body,
        signal,
      }),
    );

  return async (token, { message, ttlSeconds }) => {
    const { signal } = new AbortController();
    const { title, id: question, path } = message;
    const body = JSON.stringify({
      message: {
        token,
        notification: { title },
        data: { id: question, path },
        android: { priority: 'HIGH', ttl: `${ttlSeconds}s`, collapse_key: topicOf(message) },
      },
    });
    try {
      return toSent(await post(body, signal));
    } catch (error) {
      return { kind: 'failed', why: error instanceof Error ? error.message : 'failed' };
    }
  };
};
