import type { Clock } from '@drawbridge/kit';
import { errors } from '../errors.ts';
import { isPublicHost } from '../outside/index.ts';
import type { Sealer } from '../secrets/index.ts';
import { newWebhookSecret, signBody, signStandard } from './signing.ts';
import type { Post } from './post.ts';
import type { NotifyStore } from './notify.store.ts';

export interface WebhookNeeds {
  store: NotifyStore;
  clock: Clock;
  sealer: Sealer;
  isOwner(userId: string): Promise<boolean>;
  /** Masks a secret in the log. */
  hide(secret: string): void;
}

export interface WebhookEvent {
  /** The same for the same event. */
  id: string;
  payload: object;
}

const purposeOf = (userId: string) => `webhook of questions: ${userId}`;

/** The address that gets a person's questions; only the owner's may be inside the server's network. */
export const createWebhook = ({
  store,
  clock,
  sealer,
  isOwner,
  hide,
  post,
}: WebhookNeeds & { post: Post }) => ({
  /** Sets the address and makes a secret. Throws `badRequest` where it has to be public and is not. */
  set: async (userId: string, webhookUrl: string): Promise<{ secret: string }> => {
    const { protocol, hostname } = new URL(webhookUrl);
    if (!(await isOwner(userId)) && (protocol !== 'https:' || !isPublicHost(hostname)))
      throw errors.badRequest({ message: 'The address has to be public and begin with https' });
    const secret = newWebhookSecret();
    hide(secret);
    const webhookSecret = sealer.seal(secret, purposeOf(userId));
    await store.change(userId, { webhookUrl, webhookSecret }, clock.now());
    return { secret };
  },
  remove: (userId: string): Promise<void> =>
    store.change(userId, { webhookUrl: null, webhookSecret: null }, clock.now()),
  /**
   * Posts an event as JSON, signed as in Standard Webhooks and in `X-Signature-256`. Resolves to the status
   * of the answer, null for none; undefined without a webhook.
   */
  send: async (userId: string, { id, payload }: WebhookEvent): Promise<number | null | undefined> => {
    const { webhookUrl, webhookSecret } = await store.settings(userId);
    if (webhookUrl === null || webhookSecret === null) return undefined;
    const secret = sealer.unseal(webhookSecret, purposeOf(userId));
    if (secret === null) return undefined;
    hide(secret);
    const body = Buffer.from(JSON.stringify(payload));
    const timestamp = String(Math.floor(clock.now() / 1_000));
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Drawbridge',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signStandard(secret, { id, timestamp, body }),
      'x-signature-256': signBody(secret, body),
    };
    return post({ url: new URL(webhookUrl), headers, body, isPublicOnly: !(await isOwner(userId)) });
  },
});
