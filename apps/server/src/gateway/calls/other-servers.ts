import type { Clock } from '@drawbridge/kit';
import type { Bus } from '../bus.ts';
import type { CallsStore } from './store/calls.store.ts';

interface Needs {
  clock: Clock;
  bus: Bus;
  store: Pick<CallsStore, 'revisions'>;
  /** The ids of the calls that this server has in memory. */
  held(): string[];
  /** The row of a call has that revision, which may be the known one. */
  refresh(requestId: string, rev: number): void;
  onError(error: unknown): void;
}

/**
 * Learns what other servers store of calls that are in memory here; reads the store where messages may be
 * lost.
 */
export const watchOtherServers = ({ clock, bus, store, held, refresh, onError }: Needs): (() => void) => {
  const poll = async () => {
    for (const { requestId, rev } of await store.revisions(held())) refresh(requestId, rev);
  };
  const look = () => void poll().catch(onError);
  const cancels = [
    bus.subscribe('all', (message) => {
      if (message.type === 'call-stored') refresh(message.requestId, message.rev);
    }).stop,
    bus.onGap(look),
  ];
  if (bus.pollMs !== null) cancels.push(clock.every(bus.pollMs, look));
  return () => {
    for (const cancel of cancels) cancel();
  };
};
