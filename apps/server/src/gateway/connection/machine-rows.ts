import type { Clock, KeyedQueue } from '@drawbridge/kit';
import type { ThisServer } from '../cluster/this-server.ts';
import type { MachinesStore } from '../machines/machines.store.ts';
import type { Machine } from '../machines/registry.ts';

interface Needs {
  clock: Clock;
  store: Pick<MachinesStore, 'setConnected'>;
  server: Pick<ThisServer, 'bus' | 'id'>;
  /** Writes of one machine follow each other. */
  queue: KeyedQueue;
  onError(error: unknown): void;
}

/** Stores whether machines are connected, and publishes changes of them. */
export const createMachineRows = ({ clock, store, server, queue, onError }: Needs) => {
  const { bus } = server;

  /** What is written last is what holds then, however many changes came meanwhile. */
  const saveConnected = (machine: Machine) => {
    queue.run(machine.id, () => store.setConnected(machine.id, machine.info)).catch(onError);
  };

  /** What a user sees of the machine has changed. */
  const announceHere = ({ userId }: Pick<Machine, 'userId'>) =>
    bus.publish(`user:${userId}`, { type: 'machine-changed', userId });

  return {
    saveConnected,
    setConnected: (machine: Machine, connectedAt: number | null) => {
      const lastSeenAt = connectedAt === null ? (machine.info.lastSeenAt ?? clock.now()) : null;
      machine.info = { ...machine.info, connectedAt, lastSeenAt };
      saveConnected(machine);
    },
    announceHere,
    /** The same, and its row has changed. */
    announce: (machine: Pick<Machine, 'id' | 'userId'>) => {
      const { id, userId } = machine;
      const message = { type: 'machine-stored', userId, machineId: id, by: server.id() } as const;
      // Other servers read the row, so they are told after what is being written of it.
      queue.run(id, async () => bus.publish('all', message)).catch(onError);
      announceHere(machine);
    },
  };
};

export type MachineRows = ReturnType<typeof createMachineRows>;
