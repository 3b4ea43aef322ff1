import type { LiveThreadEvent } from '@drawbridge/contracts/agent/events';
import type { CodedError } from '@drawbridge/kit';
import type { ThreadKey } from '../rows/keys.ts';

/** `stored`: read the events behind the last one. `changed`: read them, and `now`. */
export type ThreadSignal =
  | { type: 'stored' }
  | { type: 'changed' }
  | { type: 'live'; event: LiveThreadEvent };

/** A thread that a server drives. */
export interface Driven extends ThreadKey {
  driverId: string;
  /** Each new driver has a higher one: writes with an older one change nothing. */
  fence: number;
  /** How often other servers have changed the thread. */
  wakes: number;
}

/** What a server learns of the others; hints may be lost, come twice or late. */
export interface ServersListener {
  /** Another server has changed a thread that this one drives. */
  onWoken(key: ThreadKey): void;
  /** The command of this server has a reply, or its request goes on. */
  onReply(commandId: string): void;
  /** A reader at another server wants the texts that are being written here. */
  onPartialWanted(key: ThreadKey): void;
  /** Every 2 s; rejects only where the store cannot be read. */
  onRound(): Promise<void>;
  /** The others have taken this server for dead: what it drove may belong to them. */
  onLost(): void;
}

/** Signals of threads between servers: each of them may be lost. */
export interface ThreadRelay {
  publish(key: ThreadKey, signal: ThreadSignal): void;
  /** What other servers publish of the thread. */
  subscribe(key: ThreadKey, listener: (signal: ThreadSignal) => void): Subscription;
  /** A thread of the user was made, changed, removed, or has another status. */
  publishChange(key: ThreadKey): void;
  subscribeChanges(userId: string, listener: (threadId: string) => void): Subscription;
  /** Asks the driver for the texts that are being written. */
  wantPartial(key: ThreadKey): void;
  /** How often to look for what was lost, in milliseconds. */
  lookEveryMs: number;
  /** `listener` runs when messages may have been missed. */
  onGap(listener: () => void): () => void;
}

export interface Subscription {
  /** Resolves when signals arrive: read the rows after it. */
  ready: Promise<void>;
  stop(): void;
}

/** The servers of one store, where there are several: each thread is driven by one of them. */
export interface AgentServers {
  /** This server, under its present id. */
  here(): string;
  /** Whether it may drive: the others cannot have taken it for dead yet. */
  isLive(): boolean;
  /**
   * Takes a thread that no live server drives. `hasCrashed`: its driver has died. `elsewhere`: another server
   * drives it. `missing`: there is no such thread.
   */
  take(key: ThreadKey): Promise<(Driven & { hasCrashed: boolean }) | 'elsewhere' | 'missing'>;
  /** Leaves a thread in which nothing is open; false where something is, or has changed meanwhile. */
  release(driven: Driven): Promise<boolean>;
  /** Leaves all threads, such as before a stop; others continue what is open in them. */
  releaseAll(): Promise<void>;
  /** The threads that this server drives by their rows. */
  driven(): Promise<Driven[]>;
  /** Threads in which something is open, and that no live server drives. */
  orphans(limit: number): Promise<ThreadKey[]>;
  /** Whether this server does the periodic job of that name, for the next seconds. */
  lease(name: string): Promise<boolean>;
  /** What a caller at another server may know of what was thrown here. */
  coded(error: unknown): CodedError;
  /** Hints; nothing depends on their arrival. */
  wake(driverId: string, key: ThreadKey): void;
  replied(serverId: string, commandId: string): void;
  subscribe(listener: ServersListener): () => void;
  relay: ThreadRelay;
}
