import { createHash } from 'node:crypto';
import type { Agent } from '@drawbridge/agent';
import {
  hookLimits,
  type CreatedHook,
  type CreateHookInput,
  type Hook,
  type HookReply,
} from '@drawbridge/contracts/outside/hooks';
import { createPerMinute, cutText, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { errors } from '../errors.ts';
import { isBodySignature, isStandardSignature, newWebhookSecret } from '../notify/index.ts';
import type { Sealer } from '../secrets/index.ts';
import type { HooksStore, StoredHook } from './hooks.store.ts';

/** Of a body, in the message to the agent. */
const shownLength = 60_000;

interface HooksNeeds {
  store: HooksStore;
  clock: Clock;
  /** Null where the agent is switched off. */
  agent: {
    lanes: { send(...message: Parameters<Agent['lanes']['send']>): Promise<{ requestId: string }> };
    /** Throws `notFound` for the chat of another user. */
    threads: { get(userId: string, threadId: string): Promise<unknown> };
  } | null;
  sealer: Sealer;
  isUser(userId: string): Promise<boolean>;
  /** Masks a secret in the log. */
  hide(secret: string): void;
}

/** The headers that sign a delivery; undefined for one that is missing. */
interface SignedHeaders {
  webhookId: string | undefined;
  webhookTimestamp: string | undefined;
  webhookSignature: string | undefined;
  /** `X-Signature-256`, else `X-Hub-Signature-256`. */
  bodySignature: string | undefined;
}

const isRecent = (timestamp: string, now: number) =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1_000 - now) <= hookLimits.clockMs;

/** The key under which a delivery counts once; null for a signature that is not right. */
const keyOf = (
  { headers, body, now }: { headers: SignedHeaders; body: Buffer; now: number },
  secret: string,
): string | null => {
  const { webhookId: id, webhookTimestamp: timestamp, webhookSignature, bodySignature } = headers;
  if (webhookSignature !== undefined) {
    if (id === undefined || id.length > 128 || timestamp === undefined || !isRecent(timestamp, now))
      return null;
    return isStandardSignature(secret, { id, timestamp, body }, webhookSignature) ? `id ${id}` : null;
  }
  if (bodySignature === undefined || !isBodySignature(secret, body, bodySignature)) return null;
  // Nothing but the body is signed: another id beside it proves nothing.
  return `body ${createHash('sha256').update(body).digest('hex')}`;
};

export interface Delivery {
  name: string;
  headers: SignedHeaders;
  body: Buffer;
}

const iso = (at: number) => new Date(at).toISOString();
const purposeOf = ({ id }: Pick<StoredHook, 'id'>) => `webhook into a chat: ${id}`;

const toHook = ({ id, name, threadId, groups, createdAt, lastUsedAt }: StoredHook): Hook => ({
  id,
  name,
  threadId,
  groups,
  createdAt: iso(createdAt),
  lastUsedAt: lastUsedAt === null ? null : iso(lastUsedAt),
});

const textOf = (body: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw errors.badRequest({ message: 'The body is not UTF-8 text' });
  }
};

/** What the chat shows, and the agent reads as quoted data. */
const shownText = (body: Buffer): string => {
  const text = textOf(body);
  if (text.length <= shownLength) return text;
  return `${cutText(text, shownLength)}\n[cut after ${shownLength} of ${text.length} characters]`;
};

/** Webhooks of people: programs post to them, and what they post enters a chat. */
export const createHooks = ({ store, clock, agent, sealer, isUser, hide }: HooksNeeds) => {
  const limit = createPerMinute({ clock, max: hookLimits.perMinute });

  /** The hook whose secret has signed the delivery. */
  const signedBy = async ({ name, headers, body }: Delivery) => {
    const now = clock.now();
    for (const hook of await store.byName(name)) {
      const secret = sealer.unseal(hook.secret, purposeOf(hook));
      const key = secret === null ? null : keyOf({ headers, body, now }, secret);
      if (key !== null && (await isUser(hook.userId))) return { hook, key };
    }
    throw errors.unauthorized({ message: 'Unknown webhook or wrong signature', fix: 'Check its secret.' });
  };

  const enter = async ({ userId, name, threadId, groups }: StoredHook, body: Buffer): Promise<HookReply> => {
    if (!agent) throw errors.agentOff();
    const sender = { userId, key: `hook:${name}`, channel: 'hook', groups, usesMemory: false };
    const { requestId } = await agent.lanes.send(sender, threadId, {
      text: shownText(body),
      mode: 'followup',
    });
    return { sessionId: `thread:${threadId}`, requestId };
  };

  return {
    list: async (userId: string): Promise<Hook[]> => (await store.ofUser(userId)).map(toHook),
    /** Throws `conflict` for a name that is there and beyond 20 hooks, `notFound` for another's chat. */
    create: async (userId: string, input: CreateHookInput): Promise<CreatedHook> => {
      const { name, groups, threadId: given } = input;
      if (given !== undefined) await agent?.threads.get(userId, given);
      const id = nanoid();
      const secret = newWebhookSecret();
      hide(secret);
      const hook: StoredHook = {
        id,
        userId,
        name,
        threadId: given ?? `hook-${nanoid(12)}`,
        groups,
        secret: sealer.seal(secret, purposeOf({ id })),
        createdAt: clock.now(),
        lastUsedAt: null,
      };
      if (!(await store.insert(hook)))
        throw errors.conflict({ message: 'You have a webhook of this name', fix: 'Choose another name.' });
      // Counted after the insert, so that concurrent requests cannot exceed the limit.
      if ((await store.ofUser(userId)).length > hookLimits.perUser) {
        await store.remove(userId, id);
        throw errors.conflict({
          message: `You have ${hookLimits.perUser} webhooks, the maximum`,
          fix: 'Remove one that you do not use.',
        });
      }
      return { ...toHook(hook), secret };
    },
    /** Throws `notFound`. */
    remove: async (userId: string, id: string): Promise<void> => {
      if (!(await store.remove(userId, id))) throw errors.notFound();
    },
    removeAll: store.removeAll,
    /**
     * Takes one delivery. Throws `unauthorized` for an unknown name and a wrong signature alike,
     * `badRequest`, `tooManyRequests`, and what a message to the agent throws: then it may be sent again.
     */
    receive: async (delivery: Delivery): Promise<HookReply> => {
      const { hook, key } = await signedBy(delivery);
      if (limit.use(hook.id) !== null) throw errors.tooManyRequests();
      const now = clock.now();
      const entered = await store.once(hook, { key, at: now }, () => enter(hook, delivery.body));
      if (entered.kind === 'repeat') return { duplicate: true };
      await store.noteUse(hook, now);
      return entered.value;
    },
  };
};

export type Hooks = ReturnType<typeof createHooks>;
