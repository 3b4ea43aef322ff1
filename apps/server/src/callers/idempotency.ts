import { z } from 'zod';
import type { CallerContext } from './caller.ts';
import type { CallId } from './follow.ts';

const longestKey = 200;

/** The key by which a caller names its call, at every door. */
export const idempotencyKey = z
  .string()
  .max(longestKey)
  .regex(/^[\x21-\x7e]+$/, `must have 1 to ${longestKey} printable characters without blanks`);

type DeliveryContext = Pick<CallerContext, 'gateway' | 'onError'>;

/** The answer was not the outcome of the call: the same call is a repeat of it until that is delivered. */
export const markUndelivered = ({ gateway }: DeliveryContext, { userId, requestId }: CallId): Promise<void> =>
  gateway.idempotency.undelivered(userId, requestId);

/**
 * Notes whether the outcome of a call reached its caller: `delivered` resolves with whether the answer was written whole.
 * `isMarked`: the call was marked undelivered before.
 */
export const trackDelivery = (
  { gateway, onError }: DeliveryContext,
  { userId, requestId }: CallId,
  { delivered, isMarked }: { delivered: Promise<boolean>; isMarked: boolean },
): void => {
  delivered
    .then(async (isDelivered) => {
      if (!isDelivered) await gateway.idempotency.undelivered(userId, requestId);
      else if (isMarked) await gateway.idempotency.delivered(userId, requestId);
    })
    .catch(onError);
};
