import { jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { bearerOf, createIsGoogleToken } from '../../jwt/index.ts';
import type { PlatformWebhook } from '../adapter.ts';
import type { GmailApi } from './api.ts';

/** Gmail stops after 7 days. */
const watchMs = 24 * 60 * 60_000;

const post = z.object({ subscription: z.string(), message: z.object({ data: z.string() }) });
const change = z.object({ emailAddress: z.string().toLowerCase() });

interface Needs {
  clock: Clock;
  api: GmailApi;
  /** What the owner has entered for posts. */
  push: {
    topic?: string | undefined;
    subscription?: string | undefined;
    pushAccount?: string | undefined;
  };
  /** The address of the mailbox; null while it is not known. */
  own(): string | null;
}

/** Posts of Pub/Sub that say no more than that the mailbox has changed. */
export const createPush = ({ clock, api, push, own }: Needs): PlatformWebhook => {
  const { topic, subscription, pushAccount } = push;
  const isGoogleToken = createIsGoogleToken({ clock, document: api.document });
  let watchedAt: number | null = null;
  const watch = async (signal: AbortSignal): Promise<void> => {
    if (topic === undefined || (watchedAt !== null && clock.now() - watchedAt < watchMs)) return;
    await api.watch(topic, signal);
    watchedAt = clock.now();
  };

  return {
    register: (_to, signal) => watch(signal),
    problem: async (_to, signal) => {
      await watch(signal);
      return null;
    },
    isOwn: async ({ headers }, to) =>
      pushAccount !== undefined &&
      isGoogleToken(bearerOf(headers.authorization), { audience: to.url, email: pushAccount }),
    read: (body) => {
      const given = post.safeParse(body).data;
      if (given === undefined || given.subscription !== subscription) return null;
      const about = change.safeParse(jsonOf(Buffer.from(given.message.data, 'base64').toString())).data;
      return about !== undefined && about.emailAddress === own() ? 'poll' : null;
    },
  };
};
