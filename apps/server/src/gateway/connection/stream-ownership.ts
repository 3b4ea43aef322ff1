import type { Clock, createKeyedQueue } from '@drawbridge/kit';
import type { Bus } from '../bus.ts';
import type { MachinesStore } from '../machines/machines.store.ts';
import type { Machine, Registry } from '../machines/registry.ts';
import type { StreamOwner } from '../machines/stream-owners.store.ts';
import { storedConnection, type StoredConnection, type StoredOwner } from '../machines/connection-state.ts';

interface Needs {
  clock: Clock;
  store: MachinesStore;
  bus: Pick<Bus, 'here'>;
  registry: Pick<Registry, 'adopt' | 'all'>;
  /** Writes of one machine follow each other. */
  queue: ReturnType<typeof createKeyedQueue>;
  /** The row of the machine is as another server has left it. */
  onStored(machine: Machine, connection: StoredConnection): void;
}

type Row = StreamOwner & StoredOwner;

/** Stores which server has the stream of a machine. A stream that is not the newest changes nothing. */
export const createStreamOwnership = (needs: Needs) => {
  const { clock, store, bus, registry, queue } = needs;

  const isHere = ({ connection }: Machine, { stream, serverId }: Row) =>
    connection.kind === 'online' && connection.generation === stream && serverId === bus.here;

  const isCurrent = (machine: Machine, row: Row & { epoch: number }) => {
    const { info, connection } = machine;
    if (row.epoch !== info.epoch || row.stream !== info.stream) return false;
    return isHere(machine, row) || storedConnection(row, bus.here).kind === connection.kind;
  };

  /** Reads the machine again, after what is being written of it here. */
  const refresh = (machineId: string): Promise<void> =>
    queue.run(machineId, async () => {
      const stored = await store.byId(machineId);
      if (!stored) return;
      const machine = registry.adopt(stored);
      if (!isHere(machine, stored.info)) needs.onStored(machine, storedConnection(stored.info, bus.here));
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
        const next = { epoch: machine.info.epoch, stream: machine.info.stream + 1, serverId: bus.here };
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
    detach: (machine: Machine, stream: number): Promise<boolean> => {
      const closed = { stream, lastSeenAt: machine.info.lastSeenAt ?? clock.now() };
      return change(machine, () => store.detach(machine.id, closed));
    },
    /** The grace is over; false where the machine has a stream again, on any server. */
    expire: async (machine: Machine): Promise<boolean> => {
      const lastSeenAt = machine.info.lastSeenAt ?? clock.now();
      const closed = { stream: machine.info.stream, serverId: bus.here, lastSeenAt };
      const isExpired = await change(machine, () => store.expire(machine.id, closed));
      if (!isExpired || machine.connection.kind !== 'waiting') return false;
      machine.info = { ...machine.info, connectedAt: null, lastSeenAt, serverId: null };
      return true;
    },
    /** Finds the machines that other servers have changed, where messages may be lost. */
    poll: async (): Promise<void> => {
      const machines = new Map(registry.all().map((machine) => [machine.id, machine]));
      for (const row of await store.owners([...machines.keys()])) {
        const machine = machines.get(row.id);
        if (machine && !isCurrent(machine, row)) await refresh(row.id);
      }
    },
  };
};
