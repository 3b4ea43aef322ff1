import { forgetOld, type ForgetOldContext } from './old-calls.ts';
import { forgetRemoved, type ForgetRemovedContext } from './removed-users.ts';

/**
 * Deletes what is not kept any longer, in small steps. Each rejects with the signal's reason when it is
 * aborted.
 */
export interface Retention {
  /**
   * Calls that ended longer ago than they are kept, keys that are not valid any more, expired idempotency
   * keys.
   */
  forgetOld(signal: AbortSignal): Promise<void>;
  /** Calls, machines and keys of accounts that were removed. */
  forgetRemoved(signal: AbortSignal): Promise<void>;
}

export const createRetention = (context: ForgetOldContext & ForgetRemovedContext): Retention => ({
  forgetOld: (signal) => forgetOld(context, signal),
  forgetRemoved: (signal) => forgetRemoved(context, signal),
});
