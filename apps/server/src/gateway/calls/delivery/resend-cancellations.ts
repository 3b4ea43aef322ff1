import type { Clock } from '@drawbridge/kit';
import type { CallsStore } from '../store/calls.store.ts';
import type { GatewayLimits } from '../../limits.ts';
import type { Streams } from '../../connection/streams.ts';
import type { Machine } from '../../machines/registry.ts';

export interface ResendCancellationsContext {
  clock: Clock;
  limits: GatewayLimits;
  store: CallsStore;
  streams: Pick<Streams, 'write'>;
  machine(id: string): Machine | undefined;
}

/**
 * Resends a reconnected machine the cancellations that it has not acknowledged: it, or its server, was
 * offline when the calls ended.
 */
export const resendCancellations = async (
  { clock, limits, store, streams, machine }: ResendCancellationsContext,
  machineId: string,
): Promise<void> => {
  const { userId, info } = machine(machineId) ?? {};
  if (userId === undefined || !info?.daemon?.features.includes('cancel')) return;
  const since = clock.now() - limits.callMaxMs - limits.stopAgainMs;
  for (const { machineId: of, epoch, state, requestId } of await store.unacknowledged(userId, since)) {
    if (of !== machineId || (epoch ?? 0) < info.resumesFrom) continue;
    const reason = state === 'timed-out' ? 'timeout' : 'user';
    streams.write(machineId, { type: 'tool-call-cancel', payload: { requestId, reason } });
  }
};
