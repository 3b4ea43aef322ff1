import type { DaemonEvent, RulesBody } from '@drawbridge/contracts';
import { createEmitter } from '@drawbridge/kit';

/** What every process that serves the gateway must hear. */
export type PortNews =
  /** The machine has a stream: calls that wait can be written. */
  | { type: 'attached'; machineId: string }
  /** Another daemon speaks for the machine now. */
  | { type: 'replaced'; machineId: string }
  /** The machine is no longer connected; `explicit` when somebody wanted it so. */
  | { type: 'gone'; machineId: string; explicit: boolean }
  /** What a user sees of a machine has changed. */
  | { type: 'state-changed'; userId: string }
  /** A daemon has answered a question about its rules. */
  | { type: 'rules-answered'; machineId: string; requestId: string; body: RulesBody }
  /** An off switch was turned. */
  | { type: 'switched' };

/**
 * Lies between those who want a call and the place where the daemon's stream is: neither may assume that the other
 * is in the same process.
 */
export interface Port {
  /** Writes an event on the machine's stream; false when there is none, or it was too slow and has been closed. */
  write(machineId: string, event: DaemonEvent): Promise<boolean>;
  /** Resolves when the machine's stream can take more, or is gone. */
  ready(machineId: string): Promise<void>;
  /** Says that this process holds the machine's stream; the returned function lets it go. */
  hold(machineId: string, holder: Holder): () => void;
  tell(news: PortNews): void;
  listen(hear: (news: PortNews) => void): () => void;
}

/** The end of a stream that this process has. */
export interface Holder {
  write(event: DaemonEvent): boolean;
  ready(): Promise<void>;
}

/** The port for one process. */
export const createLocalPort = (onError: (error: unknown) => void): Port => {
  const holders = new Map<string, Holder>();
  const news = createEmitter<PortNews>(onError);
  return {
    write: (machineId, event) => Promise.resolve(holders.get(machineId)?.write(event) ?? false),
    ready: (machineId) => holders.get(machineId)?.ready() ?? Promise.resolve(),
    hold: (machineId, holder) => {
      holders.set(machineId, holder);
      return () => {
        if (holders.get(machineId) === holder) holders.delete(machineId);
      };
    },
    tell: (item) => news.emit('all', item),
    listen: (hear) => news.on('all', hear),
  };
};
