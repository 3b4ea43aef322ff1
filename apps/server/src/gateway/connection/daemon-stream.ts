import type { DaemonEvent } from '@drawbridge/contracts/daemon-event';

/** The writing end of a daemon's open stream; a door makes it, the gateway writes and closes. */
export interface DaemonStream {
  /** Writes one frame; false when the reader has fallen too far behind and the stream was closed. */
  send(frameId: number, event: DaemonEvent): boolean;
  /** Resolves when little is left unread, or the stream is gone. */
  ready(): Promise<void>;
  close(): void;
}
