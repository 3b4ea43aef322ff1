import type { Clock } from '@drawbridge/kit';
import type { OpenCallState } from './call-state.ts';
import type { CallRecord } from './call-record.ts';
import type { UnreadableRow } from './columns.ts';
import type { StoredConfirmation } from './confirmations.store.ts';
import type { Connections } from './connections.ts';
import type { GatewayStores } from './gateway.store.ts';
import type { GatewayLimits } from './limits.ts';
import type { OpenCalls } from './open-calls.ts';
import type { Registry } from './registry.ts';

export interface TakeUpNeeds {
  clock: Clock;
  limits: GatewayLimits;
  stores: Pick<GatewayStores, 'machines' | 'calls' | 'confirmations'>;
  registry: Registry;
  connections: Connections;
  openCalls: OpenCalls;
  /** Hears of each row that could not be read whole: which one and which columns, never what stands in them. */
  onUnreadable(kind: 'machine' | 'call', row: UnreadableRow): void;
  onError(error: unknown): void;
}

const stateOf = (
  record: CallRecord,
  open: StoredConfirmation | undefined,
  silentUntil: number,
): OpenCallState => {
  const { endsAt, decision } = record;
  if (open) {
    const leftMs = Math.max(0, endsAt - open.createdAt);
    return {
      kind: 'awaiting-confirmation',
      confirmationId: open.shown.id,
      expiresAt: open.expiresAt,
      leftMs,
    };
  }
  // The time in which nobody could answer does not count.
  const latest = Math.max(endsAt, silentUntil);
  if (record.state === 'delivered')
    return { kind: 'delivered', endsAt: latest, deadlineAt: silentUntil, decision };
  return { kind: 'pending', endsAt: latest, given: record.deliveredAt !== null, decision };
};

/** Takes up one call with its questions; false where one of them cannot be read, and so not whether or how it was answered. */
const takeUpCall = async (needs: TakeUpNeeds, record: CallRecord, silentUntil: number): Promise<boolean> => {
  const stored = await needs.stores.confirmations.ofCall(record.requestId);
  const questions = stored.filter((one) => one !== null);
  if (questions.length < stored.length) return false;
  const open = questions.find((one) => one.shown.state === 'open');
  const call = needs.openCalls.takeUp(record, stateOf(record, open, silentUntil));
  for (const { askId, digest } of questions) if (askId !== null) call.asked.add(digest);
  const answered = questions.findLast(({ shown }) => shown.state === 'decided');
  call.answered = { askId: answered?.askId ?? null, reach: answered?.shown.reach ?? null };
  return true;
};

/**
 * Takes up what a stopped server left open: machines wait for their daemons, calls for their ends, questions for their answers.
 * A call that cannot be read, or a question of which cannot, is ended as lost. Gives the calls that go on.
 */
export const takeUp = async (needs: TakeUpNeeds): Promise<CallRecord[]> => {
  const { clock, limits, stores, registry, connections, onUnreadable } = needs;
  const stored = await stores.machines.toTakeUp();
  for (const row of stored.unreadable) onUnreadable('machine', row);
  const machines = stored.machines.map(registry.adopt);
  const silentUntil = clock.now() + limits.restartGraceMs + limits.callTimeoutMs;
  const { calls, unreadable } = await stores.calls.open();
  const taken: CallRecord[] = [];
  for (const record of calls) {
    if (await takeUpCall(needs, record, silentUntil)) taken.push(record);
    else unreadable.push({ id: record.requestId, columns: ['confirmations'] });
  }
  for (const row of unreadable) {
    onUnreadable('call', row);
    // A store that takes no writes just now does not keep the server from starting; the row is met again at the next start.
    await stores.calls.setAside(row.id, clock.now()).catch(needs.onError);
  }
  for (const machine of machines) {
    if (machine.info.connectedAt !== null) connections.restarted(machine);
  }
  return taken;
};
