import { sleep, type Clock } from '@drawbridge/kit';
import type { GatewayStores } from '../gateway.store.ts';
import type { GatewayLimits } from '../limits.ts';
import type { OldCall } from './old-calls.store.ts';
import type { Registry } from '../machines/registry.ts';

export interface ForgetRemovedContext {
  clock: Clock;
  limits: GatewayLimits;
  stores: Pick<GatewayStores, 'oldCalls' | 'removedUsers'>;
  registry: Registry;
  log: { info(what: object, sentence: string): void };
}

/** How often the calls of one account are gone through. */
const mostTries = 20;

/** `forgetRemoved` of `Retention`. */
export const forgetRemoved = async (
  { clock, limits, stores, registry, log }: ForgetRemovedContext,
  signal: AbortSignal,
): Promise<void> => {
  const { oldCalls, removedUsers } = stores;

  const removeCalls = async (userId: string) => {
    let after: OldCall | null = null;
    for (;;) {
      const calls: OldCall[] = await oldCalls.ended({ userId, by: clock.now(), after });
      after = calls.at(-1) ?? null;
      if (after === null) return;
      await oldCalls.remove(calls.map(({ requestId }) => requestId));
      await sleep(clock, limits.forgetPauseMs, signal);
    }
  };

  for (const userId of await removedUsers.all()) {
    let finished = false;
    // Its open calls are ending: what is left after the last try goes with the next sweep.
    for (let tries = 0; tries < mostTries && !finished; tries += 1) {
      await removeCalls(userId);
      finished = await removedUsers.finish(userId);
      if (!finished) await sleep(clock, limits.forgetPauseMs, signal);
    }
    if (!finished) continue;
    registry.drop(userId);
    log.info({ userId }, 'deleted the remaining data of a removed account');
  }
};
