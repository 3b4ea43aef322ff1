import { pushKey } from '@drawbridge/contracts/outside/notifications';
import type { ErrorBody } from '@drawbridge/contracts/errors';
import { unreachable, type Failure } from './failure.ts';
import { proofHeaders } from './session-proof.ts';

const base = '/webchat/push';

const send = async (method: string, path: string, body?: object): Promise<Response> =>
  fetch(base + path, {
    method,
    headers: { ...proofHeaders(), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    credentials: 'same-origin',
  });

/** The key that this browser subscribes with. Rejects while the server is away. */
export const readPushKey = async (): Promise<string> =>
  pushKey.parse(await (await send('GET', '/public-key')).json()).publicKey;

/** Sends notifications to this subscription, or no longer. Never throws. */
export const savePush = (subscription: PushSubscription): Promise<Failure | null> =>
  answer(send('POST', '/subscriptions', subscription.toJSON()));
export const removePush = ({ endpoint }: PushSubscription): Promise<Failure | null> =>
  answer(send('DELETE', '/subscriptions', { endpoint }));

const answer = async (sent: Promise<Response>): Promise<Failure | null> => {
  const response = await sent.catch(() => null);
  if (response === null) return unreachable;
  if (response.ok) return null;
  // The server's own errors have this shape.
  const { code, message, fix } = (await response.json()) as ErrorBody;
  return { code, message, fix: fix ?? null };
};
