import type { DaemonEvent } from '@drawbridge/contracts/daemon-event';

/** The end of a machine's stream that this server has. */
export interface StreamOwner {
  /** False when the reader was too slow and the stream has been closed. */
  write(event: DaemonEvent): boolean;
  ready(): Promise<void>;
}

/** The streams of machines that are open on this server. */
export const createStreams = () => {
  const owners = new Map<string, StreamOwner>();
  return {
    /** Writes an event on the machine's stream; false if none is here, or it was closed as too slow. */
    write: (machineId: string, event: DaemonEvent): boolean => owners.get(machineId)?.write(event) ?? false,
    /** Resolves when the machine's stream can take more, or is gone. */
    ready: (machineId: string) => owners.get(machineId)?.ready() ?? Promise.resolve(),
    /** The newest owner wins; the returned function removes it. */
    register: (machineId: string, owner: StreamOwner): (() => void) => {
      owners.set(machineId, owner);
      return () => {
        if (owners.get(machineId) === owner) owners.delete(machineId);
      };
    },
  };
};

export type Streams = ReturnType<typeof createStreams>;
