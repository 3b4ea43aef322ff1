import type { Clock } from '@drawbridge/kit';
import type { CallsStore } from './calls.store.ts';
import type { GatewayLimits } from './limits.ts';
import type { Port } from './port.ts';
import type { Machine } from './registry.ts';

export interface StopAgainNeeds {
  clock: Clock;
  limits: GatewayLimits;
  store: CallsStore;
  port: Port;
  machine(id: string): Machine | undefined;
  onError(error: unknown): void;
}

/**
 * A machine that was away, or whose server was, when one of its calls was cancelled or timed out hears of it when it is
 * back, until it has said what came of the call. The returned function ends this.
 */
export const createStopAgain = ({ clock, limits, store, port, machine, onError }: StopAgainNeeds) => {
  const tell = async (machineId: string) => {
    const { userId, info } = machine(machineId) ?? {};
    if (userId === undefined || !info?.daemon?.features.includes('cancel')) return;
    const since = clock.now() - limits.callMaxMs - limits.stopAgainMs;
    for (const call of await store.unacknowledged(userId, since)) {
      if (call.machineId !== machineId || (call.epoch ?? 0) < info.resumesFrom) continue;
      const reason = call.state === 'timed-out' ? 'timeout' : 'user';
      await port.write(machineId, {
        type: 'tool-call-cancel',
        payload: { requestId: call.requestId, reason },
      });
    }
  };
  return port.listen((news) => {
    if (news.type === 'attached') tell(news.machineId).catch(onError);
  });
};
