import type { Clock } from '@drawbridge/kit';
import type { Bus, BusMessage } from '../bus.ts';
import type { CallsStore } from './store/calls.store.ts';

interface Needs {
  clock: Clock;
  bus: Bus;
  store: Pick<CallsStore, 'revisions' | 'openOf'>;
  /** The ids of the calls that this server has in memory. */
  openIds(): string[];
  /** The machines that have their stream on this server. */
  machinesHere(): string[];
  /** The row of a call has that revision, which may be the known one. */
  refresh(requestId: string, rev: number): void;
  /** The call waits for delivery to a machine that may have its stream here. */
  deliver(requestId: string): void;
  stop(call: Extract<BusMessage, { type: 'stop-call' }>): void;
  onError(error: unknown): void;
}

/**
 * Learns what other servers store of calls that are in memory here, and which of their calls are for a stream
 * here. Reads the store where messages may be lost.
 */
export const watchOtherServers = (needs: Needs): (() => void) => {
  const { clock, bus, store, onError } = needs;
  const poll = async () => {
    for (const { requestId, rev } of await store.revisions(needs.openIds())) needs.refresh(requestId, rev);
    for (const requestId of await store.openOf(needs.machinesHere(), 'pending')) needs.deliver(requestId);
  };
  const refreshAll = () => void poll().catch(onError);
  const cancels = [
    bus.subscribe('all', (message) => {
      if (message.type === 'call-stored') needs.refresh(message.requestId, message.rev);
    }).stop,
    bus.subscribe(`server:${bus.here}`, (message) => {
      if (message.type === 'deliver-call') needs.deliver(message.requestId);
      if (message.type === 'stop-call') needs.stop(message);
    }).stop,
    bus.onGap(refreshAll),
  ];
  if (bus.pollMs !== null) cancels.push(clock.every(bus.pollMs, refreshAll));
  return () => {
    for (const cancel of cancels) cancel();
  };
};
