import type { Clock } from '@drawbridge/kit';
import type { OpenCallState } from './call-state.ts';
import type { CallRecord } from './call-record.ts';
import type { CallsStore } from './calls.store.ts';
import type { ConfirmationsStore, StoredConfirmation } from './confirmations.store.ts';
import type { Connections } from './connections.ts';
import type { GatewayLimits } from './limits.ts';
import type { MachinesStore } from './machines.store.ts';
import type { OpenCalls } from './open-calls.ts';
import type { Registry } from './registry.ts';

export interface TakeUpNeeds {
  clock: Clock;
  limits: GatewayLimits;
  machinesStore: MachinesStore;
  callsStore: CallsStore;
  confirmationsStore: ConfirmationsStore;
  registry: Registry;
  connections: Connections;
  openCalls: OpenCalls;
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

/** Takes up what a stopped server left open: machines wait for their daemons, calls for their ends, questions for their answers. */
export const takeUp = async (needs: TakeUpNeeds): Promise<void> => {
  const { clock, limits, registry, connections, openCalls } = needs;
  const machines = (await needs.machinesStore.toTakeUp()).map(registry.adopt);
  const silentUntil = clock.now() + limits.restartGraceMs + limits.callTimeoutMs;
  for (const record of await needs.callsStore.open()) {
    const questions = await needs.confirmationsStore.ofCall(record.requestId);
    const open = questions.find((one) => one.shown.state === 'open');
    const call = openCalls.takeUp(record, stateOf(record, open, silentUntil));
    for (const { askId, digest } of questions) if (askId !== null) call.asked.add(digest);
    const answered = questions.findLast(({ shown }) => shown.state === 'decided');
    call.answered = { askId: answered?.askId ?? null, reach: answered?.shown.reach ?? null };
  }
  for (const machine of machines) {
    if (machine.info.connectedAt !== null) connections.restarted(machine);
  }
};
