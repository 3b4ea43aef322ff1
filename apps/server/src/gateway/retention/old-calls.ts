import { CodedError, sleep, type Clock } from '@drawbridge/kit';
import type { GatewayStores } from '../gateway.store.ts';
import type { GatewayLimits } from '../limits.ts';
import type { OldCall } from './old-calls.store.ts';

export interface ForgetOldContext {
  clock: Clock;
  limits: GatewayLimits;
  stores: Pick<GatewayStores, 'oldCalls' | 'keys' | 'idempotency'>;
  log: { info(what: object, sentence: string): void };
  onError(error: unknown): void;
}

/** `forgetOld` of `Retention`. */
export const forgetOld = async (
  { clock, limits, stores, log, onError }: ForgetOldContext,
  signal: AbortSignal,
): Promise<void> => {
  const { oldCalls, keys, idempotency } = stores;

  /** One that cannot be deleted, because it is damaged, keeps no other from it. Returns how many are gone. */
  const remove = async (calls: readonly OldCall[]): Promise<number> => {
    try {
      await oldCalls.remove(calls.map(({ requestId }) => requestId));
      return calls.length;
    } catch (error) {
      // The store itself fails.
      if (error instanceof CodedError) throw error;
      const [only, second] = calls;
      if (only && second) {
        let gone = 0;
        for (const call of calls) gone += await remove([call]);
        return gone;
      }
      onError(error);
      return 0;
    }
  };

  const forgetCallsOf = async (userId: string, by: number): Promise<number> => {
    let gone = 0;
    let after: OldCall | null = null;
    for (;;) {
      const calls: OldCall[] = await oldCalls.ended({ userId, by, after });
      after = calls.at(-1) ?? null;
      if (after === null) return gone;
      gone += await remove(calls);
      await sleep(clock, limits.forgetPauseMs, signal);
    }
  };

  const forgetCalls = async () => {
    if (limits.keepCallsMs === null) return;
    const by = clock.now() - limits.keepCallsMs;
    let calls = 0;
    for (let user = await oldCalls.userAfter(''); user !== null; user = await oldCalls.userAfter(user))
      calls += await forgetCallsOf(user, by);
    if (calls > 0) log.info({ calls }, 'deleted old calls');
  };

  const forgetKeys = async () => {
    const at = clock.now();
    const dead = { at, idleSince: at - limits.sessionKeyIdleMs };
    let count = 0;
    for (let gone = await keys.forgetDead(dead); gone > 0; gone = await keys.forgetDead(dead)) {
      count += gone;
      await sleep(clock, limits.forgetPauseMs, signal);
    }
    if (count > 0) log.info({ keys: count }, 'deleted expired and revoked keys');
  };

  await forgetCalls();
  await forgetKeys();
  await idempotency.sweep(clock.now() - limits.idempotencyKeyTtlMs);
};
