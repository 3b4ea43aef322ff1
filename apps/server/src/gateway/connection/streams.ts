import type { DaemonEvent } from '@drawbridge/contracts/daemon-event';

/** The end of a machine's stream that this server has. */
export interface StreamOwner {
  /** False when the reader was too slow and the stream has been closed. */
  write(event: DaemonEvent): boolean;
  ready(): Promise<void>;
}

/** The streams of machines that are open on this server. */
export interface Streams {
  /** Writes an event on the machine's stream; false if none is here, or it was closed as too slow. */
  write(machineId: string, event: DaemonEvent): boolean;
  /** Resolves when the machine's stream can take more, or is gone. */
  ready(machineId: string): Promise<void>;
  /** The newest owner wins; the returned function removes it. */
  register(machineId: string, owner: StreamOwner): () => void;
}

export const createStreams = (): Streams => {
  const owners = new Map<string, StreamOwner>();
  return {
    write: (machineId, event) => owners.get(machineId)?.write(event) ?? false,
    ready: (machineId) => owners.get(machineId)?.ready() ?? Promise.resolve(),
    register: (machineId, owner) => {
      owners.set(machineId, owner);
      return () => {
        if (owners.get(machineId) === owner) owners.delete(machineId);
      };
    },
  };
};
