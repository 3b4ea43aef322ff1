import { CodedError, sleep, type Clock } from '@drawbridge/kit';
import type { GatewayStores } from '../gateway.store.ts';
import type { GatewayLimits } from '../limits.ts';
import type { Registry } from '../machines/registry.ts';
import type { OldCall } from './old-calls.store.ts';

interface RetentionContext {
  clock: Clock;
  limits: GatewayLimits;
  stores: Pick<GatewayStores, 'oldCalls' | 'removedUsers' | 'keys' | 'idempotency'>;
  registry: Registry;
  log: { info(what: object, sentence: string): void };
  onError(error: unknown): void;
}

/** How often the calls of one account are gone through. */
const mostTries = 20;

/**
 * Deletes what is not kept any longer, in small steps. Each rejects with the signal's reason when it is
 * aborted.
 */
export const createRetention = ({ clock, limits, stores, registry, log, onError }: RetentionContext) => {
  const { oldCalls, removedUsers, keys, idempotency } = stores;
  const pause = (signal: AbortSignal) => sleep(clock, limits.forgetPauseMs, signal);

  /** One that cannot be deleted, because it is damaged, keeps no other from it. Returns how many are gone. */
  const remove = async (calls: readonly OldCall[]): Promise<number> => {
    try {
      await oldCalls.remove(calls.map(({ requestId }) => requestId));
      return calls.length;
    } catch (error) {
      // The store itself fails.
      if (error instanceof CodedError) throw error;
      if (calls.length === 1) {
        onError(error);
        return 0;
      }
      let gone = 0;
      for (const call of calls) gone += await remove([call]);
      return gone;
    }
  };

  /** Calls of a user that had ended by then; returns how many are gone. */
  const removeCalls = async (userId: string, by: number, signal: AbortSignal): Promise<number> => {
    let gone = 0;
    let after: OldCall | null = null;
    for (;;) {
      const calls: OldCall[] = await oldCalls.ended({ userId, by, after });
      after = calls.at(-1) ?? null;
      if (after === null) return gone;
      gone += await remove(calls);
      await pause(signal);
    }
  };

  const forgetCalls = async (signal: AbortSignal) => {
    if (limits.keepCallsMs === null) return;
    const by = clock.now() - limits.keepCallsMs;
    let calls = 0;
    for (let user = await oldCalls.userAfter(''); user !== null; user = await oldCalls.userAfter(user))
      calls += await removeCalls(user, by, signal);
    if (calls > 0) log.info({ calls }, 'deleted old calls');
  };

  const forgetKeys = async (signal: AbortSignal) => {
    const at = clock.now();
    const dead = { at, idleSince: at - limits.sessionKeyIdleMs };
    let count = 0;
    for (let gone = await keys.forgetDead(dead); gone > 0; gone = await keys.forgetDead(dead)) {
      count += gone;
      await pause(signal);
    }
    if (count > 0) log.info({ keys: count }, 'deleted expired and revoked keys');
  };

  return {
    /**
     * Calls that ended longer ago than they are kept, keys that are not valid any more, expired idempotency
     * keys.
     */
    forgetOld: async (signal: AbortSignal) => {
      await forgetCalls(signal);
      await forgetKeys(signal);
      await idempotency.sweep(clock.now());
    },
    /** Calls, machines and keys of accounts that were removed. */
    forgetRemoved: async (signal: AbortSignal) => {
      for (const userId of await removedUsers.all()) {
        let finished = false;
        // Its open calls are ending: what is left after the last try goes with the next sweep.
        for (let tries = 0; tries < mostTries && !finished; tries += 1) {
          await removeCalls(userId, clock.now(), signal);
          finished = await removedUsers.finish(userId);
          if (!finished) await pause(signal);
        }
        if (!finished) continue;
        registry.drop(userId);
        log.info({ userId }, 'deleted the remaining data of a removed account');
      }
    },
  };
};
