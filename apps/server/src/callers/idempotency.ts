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
 * Records whether the caller received the outcome: `delivered` resolves with whether all of the answer was
 * written. `isMarked`: the call is marked as undelivered.
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
