import type { ThreadKey } from '../rows/keys.ts';

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
  /** Every 2 s; rejects only where the store cannot be read. */
  onRound(): Promise<void>;
  /** The others have taken this server for dead: what it drove may belong to them. */
  onLost(): void;
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
  /** Hints; nothing depends on their arrival. */
  wake(driverId: string, key: ThreadKey): void;
  replied(serverId: string, commandId: string): void;
  subscribe(listener: ServersListener): () => void;
}
