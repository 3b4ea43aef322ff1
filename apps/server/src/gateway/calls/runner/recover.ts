import type { Clock } from '@drawbridge/kit';
import type { Connections } from '../../connection/connections.ts';
import type { GatewayStores } from '../../gateway.store.ts';
import type { GatewayLimits } from '../../limits.ts';
import type { Registry } from '../../machines/registry.ts';
import type { CallRecord } from '../call.ts';
import type { UnreadableRow } from '../../columns.ts';
import { limitsOf } from '../transition/call-limits.ts';
import type { OpenCalls } from './open-calls.ts';
import { readCallData } from './stored-call.ts';

export interface RecoverContext {
  clock: Clock;
  limits: GatewayLimits;
  stores: Pick<GatewayStores, 'machines' | 'calls' | 'confirmations'>;
  registry: Registry;
  connections: Connections;
  openCalls: OpenCalls;
  /**
   * Called for each row with unreadable columns, with their names, never with their contents.
   */
  onUnreadable(kind: 'machine' | 'call', row: UnreadableRow): void;
  onError(error: unknown): void;
}

/**
 * Recovers the open machines, calls and questions of a stopped server. Calls that cannot be read, or with an
 * unreadable question, end as lost. Returns the calls that stay open.
 */
export const recover = async (context: RecoverContext): Promise<CallRecord[]> => {
  const { clock, limits, stores, registry, connections, openCalls, onUnreadable } = context;
  const stored = await stores.machines.toRecover();
  for (const row of stored.unreadable) onUnreadable('machine', row);
  const machines = stored.machines.map(registry.adopt);
  const backBy = clock.now() + limits.restartGraceMs;
  const { calls, unreadable } = await stores.calls.open();
  const recovered: CallRecord[] = [];
  for (const record of calls) {
    const silentUntil = backBy + limitsOf(record, limits).silenceMs;
    // The time in which no daemon could answer does not count.
    const endsAt = Math.max(record.endsAt, backBy + limits.callTimeoutMs);
    const data = await readCallData(stores.confirmations, record, { silentUntil, endsAt });
    if (data) openCalls.recover(data);
    if (data) recovered.push(record);
    else unreadable.push({ id: record.requestId, columns: ['confirmations'] });
  }
  for (const row of unreadable) {
    onUnreadable('call', row);
    // A store that refuses writes does not keep the server from starting; the next start tries again.
    await stores.calls.setAside(row.id, clock.now()).catch(context.onError);
  }
  await connections.restarted(machines.filter(({ info }) => info.connectedAt !== null));
  return recovered;
};
