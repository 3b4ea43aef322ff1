import type { Clock, KeyedQueue } from '@drawbridge/kit';
import type { ThisServer } from '../cluster/this-server.ts';
import type { MachinesStore } from '../machines/machines.store.ts';
import type { Machine, Registry } from '../machines/registry.ts';
import type { ClosedStream, StreamOwner } from '../machines/stream-owners.store.ts';
import { storedConnection, type StoredConnection } from '../machines/connection-state.ts';

interface Needs {
  clock: Clock;
  store: MachinesStore;
  server: Pick<ThisServer, 'id'>;
  registry: Pick<Registry, 'adopt' | 'loaded' | 'refresh'>;
  /** Writes of one machine follow each other. */
  queue: KeyedQueue;
  /** The row of the machine is as another server has left it. */
  onStored(machine: Machine, connection: StoredConnection): void;
}

/** How far the clocks of two servers, and the times of two writes, may lie apart. */
const overlapMs = 5_000;

/** Stores which server has the stream of a machine. A stream that is not the newest changes nothing. */
export const createStreamOwnership = (needs: Needs) => {
  const { clock, store, server, registry, queue } = needs;
  let polledAt = clock.now();

  const isHere = ({ connection }: Machine, { stream, serverId }: StreamOwner) =>
    connection.kind === 'online' && connection.generation === stream && serverId === server.id();

  /** Reads the machine again, after what is being written of it here. Resolves to when that held. */
  const refresh = (machineId: string): Promise<number> =>
    queue.run(machineId, async () => {
      const stored = await store.byIdNow(machineId);
      if (!stored) return clock.now();
      const machine = registry.adopt(stored);
      if (!isHere(machine, stored.info)) needs.onStored(machine, storedConnection(stored.info, server.id()));
      return stored.readAt;
    });

  /** False, with the machine read again, where another server has changed it. */
  const change = async ({ id }: Machine, write: () => Promise<boolean>): Promise<boolean> => {
    const isWritten = await queue.run(id, write);
    if (!isWritten) await refresh(id);
    return isWritten;
  };

  return {
    refresh,
    /** The number of the new stream; null where another daemon speaks for the machine now. */
    attach: async (machine: Machine, epoch: number): Promise<number | null> => {
      while (epoch >= machine.info.epoch) {
        const next = { epoch: machine.info.epoch, stream: machine.info.stream + 1, serverId: server.id() };
        const isAttached = await change(machine, async () => {
          if (next.stream !== machine.info.stream + 1) return false;
          const isStored = await store.attach(machine.id, next);
          if (isStored) machine.info = { ...machine.info, stream: next.stream, serverId: next.serverId };
          return isStored;
        });
        if (isAttached) return next.stream;
      }
      return null;
    },
    /** That stream has closed. */
    detach: (machine: Machine, closing: Omit<ClosedStream, 'lastSeenAt'>): Promise<boolean> => {
      const closed = { ...closing, lastSeenAt: machine.info.lastSeenAt ?? clock.now() };
      return change(machine, () => store.detach(machine.id, closed));
    },
    /** The grace is over; false where the machine has a stream again, on any server. */
    expire: async (machine: Machine): Promise<boolean> => {
      const lastSeenAt = machine.info.lastSeenAt ?? clock.now();
      const { epoch, stream } = machine.info;
      const closed = { epoch, stream, serverId: server.id(), lastSeenAt };
      const isExpired = await change(machine, () => store.expire(machine.id, closed));
      if (!isExpired || machine.connection.kind !== 'waiting') return false;
      machine.info = { ...machine.info, connectedAt: null, lastSeenAt, serverId: null };
      return true;
    },
    /** Finds the machines that other servers have changed, where messages may be lost. */
    poll: async (): Promise<void> => {
      const at = clock.now();
      for (const { id, userId, rev } of await store.changedSince(polledAt - overlapMs)) {
        const machine = registry.loaded(id);
        if (machine?.info.rev === rev) continue;
        registry.refresh(userId);
        if (machine) await refresh(id);
      }
      polledAt = at;
    },
  };
};

export type StreamOwnership = ReturnType<typeof createStreamOwnership>;
