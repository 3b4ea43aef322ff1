import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { createSerialQueue, jsonOf, sleep } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import { createAcceptOne, keepConnected, type InboundNeeds } from './keep-connected.ts';

/** A request of a platform. */
export interface PlatformPost {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface WebhookNeeds extends InboundNeeds {
  /** Where the platform posts to. */
  url: string;
  /** What its posts have to carry. */
  webhookSecret: string;
}

const checkMs = 60_000;

/** The secret of a bot's posts: another one for another key, and none that is stored. */
export const webhookSecretOf = (secret: string, kind: string, key: string): string =>
  createHmac('sha256', secret).update(`webhook of a channel\0${kind}\0${key}`).digest('base64url');

/** Has the platform post to this server, and looks whether it can, until the signal aborts. */
export const keepWebhook = (needs: WebhookNeeds): Promise<void> => {
  const { clock, adapter, url, webhookSecret: secret, onState, signal } = needs;
  let isRegistered = false;
  return keepConnected(needs, async () => {
    if (!isRegistered) await adapter.webhook.register({ url, secret }, signal);
    isRegistered = true;
    const problem = await adapter.webhook.problem(url, signal);
    onState(problem === null ? 'working' : 'unreachable', problem);
    await sleep(clock, checkMs, signal);
  });
};

/**
 * Stores what a post has, one after the other: once that resolves, the platform may forget it. Throws
 * `unauthorized`, `tooManyRequests` beyond 1,000 messages that wait, and what a store in trouble throws.
 */
export const createReceive = (needs: WebhookNeeds) => {
  const { kind, adapter, messages, webhookSecret } = needs;
  const acceptOne = createAcceptOne(needs);
  const inTurn = createSerialQueue();
  return async ({ headers, body }: PlatformPost): Promise<void> => {
    if (!adapter.webhook.isOwn(headers, webhookSecret)) throw errors.unauthorized();
    const update = adapter.webhook.read(jsonOf(body.toString()));
    // It would be posted again and again otherwise.
    if (update === null) return;
    if ((await messages.facts(kind)).waiting >= channelLimits.waiting) throw errors.tooManyRequests();
    await inTurn(() => acceptOne(update));
  };
};
