import type { LiveThreadEvent } from '@drawbridge/contracts/agent/events';
import type { CancelReason, DaemonEvent } from '@drawbridge/contracts/daemon-event';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import type { CallEvent } from '@drawbridge/contracts/calls';
import type { ConfirmationEvent } from '@drawbridge/contracts/confirmation';
import type { RefusedPairing } from '@drawbridge/contracts/machines/summary';
import type { ProcessesBody } from '@drawbridge/contracts/machines/processes';
import type { RuntimeList } from '@drawbridge/contracts/machines/runtimes';
import type { RulesBody } from '@drawbridge/contracts/rule-list';
import { createEmitter } from '@drawbridge/kit';
import { nanoid } from 'nanoid';

/**
 * `all`: every server. `user:`: the servers on which somebody watches that user. `server:`: one server.
 * `thread:`: those on which a thread of the agent is read. `panel:`: those with a panel of that user.
 */
export type Topic = 'all' | `user:${string}` | `server:${string}` | `thread:${string}` | `panel:${string}`;

type ThreadSignal = { type: 'stored' } | { type: 'changed' } | { type: 'live'; event: LiveThreadEvent };

/** What is asked of a daemon beside its tools. */
export type MachineQuery = Extract<
  DaemonEvent,
  { type: 'rules-request' | 'processes-request' | 'runtimes-request' }
>;

/** A reason to look into the store; what is not stored, such as live output, comes with it. */
export type BusMessage =
  /** An off switch was turned, or the built-in agent was switched on or off. */
  | { type: 'switched' }
  /** What somebody may do, or a setting, has changed on that server. */
  | { type: 'rights'; by: string }
  /** The others have taken that server for dead. */
  | { type: 'server-dead'; serverId: string }
  /** A server asks itself whether the bus carries its messages; sent the whole way. */
  | { type: 'echo' }
  /** The row of a machine has changed; `by` is the server that changed it. */
  | { type: 'machine-stored'; userId: string; machineId: string; by: string }
  /**
   * For the server that has the stream: a call waits for delivery, or a call that was delivered has been
   * stopped.
   */
  | { type: 'deliver-call'; requestId: string }
  | { type: 'stop-call'; requestId: string; reason: CancelReason }
  /** A daemon came with a token of the user and was refused. */
  | { type: 'pairing-refused'; userId: string; refused: RefusedPairing }
  /** What a user sees of one of their machines has changed. */
  | { type: 'machine-changed'; userId: string }
  | { type: 'call-changed'; userId: string; event: CallEvent }
  /** The row of a call has that revision now, for the server on which its caller waits. */
  | { type: 'call-stored'; requestId: string; rev: number }
  | { type: 'confirmation-changed'; userId: string; event: ConfirmationEvent }
  /** A client has sent something to a request of its own, for the server that answers it. */
  | { type: 'client-message'; name: string }
  /** For the server that has the connection: another one has registered its companion. */
  | { type: 'companion-replaced'; connectionId: string }
  /** For the server that has the stream: another one has received progress of a call on it. */
  | { type: 'call-progress'; requestId: string; body: ProgressBody }
  /** A new reader wants what the user's calls have printed; and, for its server, what one has of it. */
  | { type: 'outputs-wanted'; userId: string; by: string; reader: string }
  | { type: 'outputs'; reader: string; events: Extract<CallEvent, { type: 'progress' }>[] }
  /** A daemon has answered a query beside its tools, for the server that asked. */
  | { type: 'rules-answered'; machineId: string; requestId: string; body: RulesBody }
  | { type: 'processes-answered'; machineId: string; requestId: string; body: ProcessesBody }
  | { type: 'runtimes-answered'; machineId: string; requestId: string; body: RuntimeList }
  /** For the server that has the stream: a query for its machine. */
  | { type: 'machine-query'; machineId: string; query: MachineQuery }
  /** For the server that asked: there is no stream that the query could be written on. */
  | { type: 'query-unasked'; machineId: string; requestId: string }
  /** For the server that drives a thread of the agent: another one has changed it. */
  | { type: 'thread-woken'; userId: string; threadId: string }
  /** For the server that asked the driver of a thread: there is a reply, or more of it. */
  | { type: 'command-replied'; commandId: string }
  /** The same: a reader elsewhere wants the texts that are being written. */
  | { type: 'partial-wanted'; userId: string; threadId: string }
  /** What readers of a thread see; `by` is the server on which it happens. */
  | { type: 'thread-signal'; signal: ThreadSignal; by: string }
  /** A thread of the user was made, changed, removed, or has another status. */
  | { type: 'thread-changed'; threadId: string; by: string }
  /** For the server that has the stream: its daemon has answered a probe. */
  | { type: 'probe-answered'; machineId: string; probeId: number };

export interface Subscription {
  /** Resolves when messages arrive: read the store after it, and nothing is missed. */
  ready: Promise<void>;
  stop(): void;
}

/** Connects the servers of one store. At most once, never waits: the store is the truth. */
export interface Bus {
  /** This server. */
  readonly here: string;
  publish(topic: Topic, message: BusMessage): void;
  subscribe(topic: Topic, listener: (message: BusMessage) => void): Subscription;
  /** How often to read the store for lost messages, in milliseconds; null without other servers. */
  readonly pollMs: number | null;
  /** `refresh` runs when messages may have been missed; in one process they never are. */
  onGap(refresh: () => void): () => void;
  /** Messages between servers do not arrive, and the bus knows it. */
  isAway(): boolean;
}

/** Two as one. */
export const both = (one: Subscription, other: Subscription): Subscription => ({
  ready: Promise.all([one.ready, other.ready]).then(() => {}),
  stop: () => {
    one.stop();
    other.stop();
  },
});

/**
 * Subscribes to messages of one type; `onGap` runs when some may have been missed. What a message says may be
 * old: the row counts.
 */
export const watchTopic = <Type extends BusMessage['type']>(
  bus: Bus,
  { topic, type }: { topic: Topic; type: Type },
  listener: (message: Extract<BusMessage, { type: Type }>) => void,
  onGap: () => void,
): Subscription => {
  const isMeant = (message: BusMessage): message is Extract<BusMessage, { type: Type }> =>
    message.type === type;
  const { ready, stop } = bus.subscribe(topic, (message) => {
    if (isMeant(message)) listener(message);
  });
  const stopWatchingGaps = bus.onGap(onGap);
  return {
    ready,
    stop: () => {
      stop();
      stopWatchingGaps();
    },
  };
};

/** The bus of a single server. */
export const createLocalBus = (onError: (error: unknown) => void): Bus => {
  const messages = createEmitter<BusMessage>(onError);
  return {
    here: nanoid(8),
    publish: messages.emit,
    subscribe: (topic, listener) => ({ ready: Promise.resolve(), stop: messages.on(topic, listener) }),
    pollMs: null,
    onGap: () => () => {},
    isAway: () => false,
  };
};
