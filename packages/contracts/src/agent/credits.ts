import { z } from 'zod';
import { isoTime } from '../ids.ts';

const amount = z.number().int().nonnegative();

/** What a user's runs have used since midnight (UTC), and the daily limit that comes nearest. */
export const credits = z.object({
  tokens: amount,
  /** In millionths of the owner's currency. */
  costMicro: amount,
  /** Of `quota` and `used`. */
  unit: z.enum(['tokens', 'costMicro']),
  /** Null: the owner has set no limit. */
  quota: amount.nullable(),
  used: amount,
  /** When the day ends. */
  resetsAt: isoTime,
});
export type Credits = z.infer<typeof credits>;

/** Live: the agent has used something. Specification, push types. */
export const usageEvent = z.object({ type: z.literal('usageChanged'), credits });
export type UsageEvent = z.infer<typeof usageEvent>;
