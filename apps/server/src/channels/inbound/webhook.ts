import { createHmac } from 'node:crypto';
import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { createSerialQueue, jsonOf, sleep, type Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import type { Fields, PlatformPost, PostTarget } from '../adapter.ts';
import { keepConnected, type InboundNeeds } from './keep-connected.ts';
import { pollOnce } from './poll.ts';

export interface WebhookNeeds extends InboundNeeds {
  target: PostTarget;
  wait: Wait;
}

const checkMs = 60_000;
/** Posts of this time are one. */
const togetherMs = 1_000;

/** A wait that a post ends. */
export const createWait = (clock: Clock) => {
  let ended = new AbortController();
  return {
    /** Also the next one, where none has begun. */
    end: (): void => ended.abort(),
    begin: async (ms: number, signal: AbortSignal): Promise<void> => {
      await sleep(clock, ms, AbortSignal.any([signal, ended.signal])).catch(() => undefined);
      if (ended.signal.aborted) await sleep(clock, togetherMs, signal);
      ended = new AbortController();
    },
  };
};
type Wait = ReturnType<typeof createWait>;

/** The secret of a bot's posts: another one for another key, and none that is stored. */
export const webhookSecretOf = (secret: string, kind: string, fields: Fields): string =>
  createHmac('sha256', secret)
    .update(`webhook of a channel\0${kind}\0${JSON.stringify(fields)}`)
    .digest('base64url');

/** Has the platform post to this server, and looks whether it can, until the signal aborts. */
export const keepWebhook = (needs: WebhookNeeds): Promise<void> => {
  const { adapter, target, wait, onState, signal } = needs;
  let isRegistered = false;
  return keepConnected(needs, async () => {
    if (!isRegistered) await adapter.webhook.register(target, signal);
    isRegistered = true;
    const problem = await adapter.webhook.problem(target, signal);
    onState(problem === null ? 'working' : 'unreachable', problem);
    const everyMs = adapter.pollEveryMs.webhook;
    await wait.begin(everyMs === null ? checkMs : await pollOnce(needs, 'webhook'), signal);
  });
};

/**
 * Stores what a post has, in order: once that resolves, the platform may forget it. Throws `unauthorized`,
 * `issuerUnavailable`, `tooManyRequests` beyond 1,000 messages that wait, and what a store in trouble throws.
 */
export const createReceive = (needs: WebhookNeeds) => {
  const { kind, adapter, messages, acceptOne, target, wait, onError } = needs;
  const inTurn = createSerialQueue();
  return async (post: PlatformPost): Promise<void> => {
    const isOwn = await adapter.webhook.isOwn(post, target).catch((error: unknown) => {
      onError(error);
      throw errors.issuerUnavailable();
    });
    if (!isOwn) throw errors.unauthorized();
    const update = adapter.webhook.read(jsonOf(post.body.toString()));
    // It would be posted again and again otherwise.
    if (update === null) return;
    if (update === 'poll') return wait.end();
    if ((await messages.facts(kind)).waiting >= channelLimits.waiting) throw errors.tooManyRequests();
    await inTurn(() => acceptOne(update));
  };
};
