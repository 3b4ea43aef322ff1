import { requireTextIn, unreachable, type Failure } from './failure.ts';
import { refusalOf, send } from './http.ts';

const base = '/webchat/push';

/** The key that this browser subscribes with. Rejects while the server is away. */
export const readPushKey = async (): Promise<string> =>
  requireTextIn(await (await send(`${base}/public-key`)).json(), 'publicKey');

const change = async (method: 'POST' | 'DELETE', body: object): Promise<Failure | null> => {
  const response = await send(`${base}/subscriptions`, { method, body }).catch(() => null);
  if (response === null) return unreachable;
  return response.ok ? null : refusalOf(response);
};

/** Sends notifications to this subscription, or no longer. Never throws. */
export const savePush = (subscription: PushSubscription): Promise<Failure | null> =>
  change('POST', subscription.toJSON());
export const removePush = ({ endpoint }: PushSubscription): Promise<Failure | null> =>
  change('DELETE', { endpoint });
