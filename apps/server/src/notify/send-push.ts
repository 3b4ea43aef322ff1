import { createHash } from 'node:crypto';
import type { PushMessage } from '@drawbridge/contracts/outside/notifications';
import webPush from 'web-push';
import type { Post } from './post.ts';
import { isPushEndpoint } from './push-host.ts';
import type { Device, NotifyStore } from './notify.store.ts';
import type { Vapid } from './vapid.ts';

interface Needs {
  store: Pick<NotifyStore, 'remove'>;
  post: Post;
  vapid: Vapid;
  /** The origin of the server. */
  url(): string;
}

export interface Push {
  message: PushMessage;
  /** How long the push service keeps it for a device that is off, in seconds. */
  ttlSeconds: number;
}

/** The id of a message as the header of a push service allows it. */
export const topicOf = ({ id }: PushMessage): string =>
  createHash('sha256').update(id).digest('base64url').slice(0, 32);

/** Answers of a push service that no longer has the subscription. */
const gone = new Set([404, 410]);

/** Push services want an address for complaints, and some refuse one at localhost. */
const subjectOf = (url: string) => (url.startsWith('https:') ? url : 'mailto:drawbridge@example.org');

/**
 * Encrypts a message for a device (RFC 8291) and posts it to its push service. Resolves to the status of the
 * answer, or null; forgets a device that the service no longer has.
 */
export const createSendPush =
  ({ store, post, vapid, url }: Needs) =>
  async (
    { userId, endpoint, p256dh, auth }: Device,
    { message, ttlSeconds }: Push,
  ): Promise<number | null> => {
    if (!isPushEndpoint(endpoint)) return null;
    const { headers, body } = webPush.generateRequestDetails(
      { endpoint, keys: { p256dh, auth } },
      JSON.stringify(message),
      {
        vapidDetails: { subject: subjectOf(url()), ...vapid },
        TTL: ttlSeconds,
        urgency: 'high',
        topic: topicOf(message),
      },
    );
    const status = await post({
      url: new URL(endpoint),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      body,
      isPublicOnly: true,
    });
    if (status !== null && gone.has(status)) await store.remove(userId, endpoint);
    return status;
  };
