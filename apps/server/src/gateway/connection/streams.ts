import type { DaemonEvent } from '@drawbridge/contracts/daemon-event';

/** The writing end of a daemon's open stream; a door makes it, the gateway writes and closes. */
export interface DaemonStream {
  /** Writes one frame; false when the reader has fallen too far behind and the stream was closed. */
  send(frameId: number, event: DaemonEvent): boolean;
  /** Resolves when little is left unread, or the stream is gone. */
  ready(): Promise<void>;
  close(): void;
}

/** The end of a machine's stream that this server has. */
export interface StreamOwner {
  /** False when the reader was too slow and the stream has been closed. */
  write(event: DaemonEvent): boolean;
  ready(): Promise<void>;
}

/** The streams of machines that are open on this server; `isLive`: others cannot have taken them over yet. */
export const createStreams = (isLive: () => boolean) => {
  const owners = new Map<string, StreamOwner>();
  return {
    /** Writes an event on the machine's stream; false if none is here, or it was closed as too slow. */
    write: (machineId: string, event: DaemonEvent): boolean =>
      isLive() && (owners.get(machineId)?.write(event) ?? false),
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
