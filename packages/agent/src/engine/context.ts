import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import type { QueueSettings } from '@drawbridge/contracts/agent/lanes';
import type { BoundedMap, Clock } from '@drawbridge/kit';
import type { Canvas } from '../canvas/api.ts';
import type { Counted } from '../memory/context.ts';
import type { History } from '../memory/history.ts';
import type { AgentBus, NewId } from '../ports/bus.ts';
import type { AgentConfig } from '../ports/config.ts';
import type { Day } from '../ports/day.ts';
import type { DomainAdapter } from '../ports/domain.ts';
import type { MachinePort } from '../ports/machine.ts';
import type { ModelPort } from '../ports/model.ts';
import type { McpPort, SearchPort, WebPort } from '../ports/outside.ts';
import type { Tracer } from '../ports/tracing.ts';
import type { WorkspacePort } from '../ports/workspace.ts';
import type { EndedCalls } from '../repeats.ts';
import type { AgentRow, RunRow, ThreadRow } from '../rows.ts';
import type { AgentStore, Write } from '../store-port.ts';
import type { UnaskedFetches } from '../tools/unasked-fetches.ts';
import type { IsTaken } from '../tools/names/loose-names.ts';
import type { ThreadKey } from '../thread-key.ts';

/** A message that has interrupted the run of another one. */
export interface Preemption extends ThreadKey {
  runId: string;
  /** The request whose run ends, and the one whose run follows. */
  interrupted: string;
  by: string;
}

/** What the agent's core needs from its host. */
export interface AgentNeeds {
  store: AgentStore;
  model: ModelPort;
  machine: MachinePort;
  web: WebPort;
  search: SearchPort;
  mcp: McpPort;
  domains: readonly DomainAdapter[];
  /** Undefined where threads have no workspaces. */
  workspace?: WorkspacePort | undefined;
  bus: AgentBus;
  tracer: Tracer;
  clock: Clock;
  newId: NewId;
  config(): Promise<AgentConfig>;
  /** How messages wait, as the owner has set it; the defaults when undefined. */
  queueSettings?: (() => Promise<QueueSettings>) | undefined;
  isUser(userId: string): Promise<boolean>;
  /** For the host's records. */
  onPreempted?(preemption: Preemption): void;
  onError(error: unknown): void;
}

/** What the engine reports to the lanes of threads. */
export interface LaneSignals {
  /** The run has ended, and its end is stored. */
  ended(run: ThreadKey & { runId: string }): void;
  /** Something that the thread may run has come. */
  check(thread: ThreadKey): void;
  /** A run waits for its person: another one may start. */
  freed(): void;
}

/** The same, with the way to continue an agent whose rows have changed. */
export interface RunContext extends AgentNeeds {
  wake(userId: string, agentId: string): void;
  lanes: LaneSignals;
  canvas: Canvas;
  /** Whether the name of a machine's tool looks like one of the agent's. */
  isOwnName: IsTaken;
  /** What the person was told of each thread since the start: once each. */
  noticed: BoundedMap<string, true>;
  /** The daily limits of each user: entered before each model call. */
  day: Day;
  /** What each run has fetched unasked, by its id. */
  unasked: BoundedMap<string, UnaskedFetches>;
  /** Drops the model call of an agent; its step begins again when it is woken. */
  interruptThought(agent: Pick<AgentRow, 'id' | 'state'>): void;
  /** Runs a job beside the agents, one of each key at a time; dropped when the server stops. */
  tidy(key: string, job: (signal: AbortSignal) => Promise<void>): void;
  /** Calls whose questions a new message withdraws from the machine: their end is no answer. */
  withdrawing: Set<string>;
  /** The provider's count of the last step of each agent, by its id. */
  counts: BoundedMap<string, Counted>;
  /** What the agents at work have read of their histories, by their ids. */
  histories: Map<string, History>;
  /** What the agents at work have read of their calls, by their ids. */
  endedCalls: Map<string, EndedCalls>;
  /** When notes may be tried again after a failure of the helper model, by history. */
  notesAfter: BoundedMap<string, number>;
  /** Starts the tasks of a plan that can start. */
  tickPlan(userId: string, planId: string): void;
  /** Ends open agents with all that belongs to them, at most 1.5 s later. */
  stopAgents(agents: readonly AgentRow[], outcome: 'cancelled' | 'interrupted'): Promise<void>;
}

/** An agent at work, as its rows are. */
export interface Work {
  thread: ThreadRow;
  run: RunRow;
  agent: AgentRow;
}

/** Why an agent's work is aborted, where it does not begin again. */
export const agentEnds = 'the agent ends';

type Payload<Type extends StoredEvent['type']> = Extract<StoredEvent, { type: Type }>['payload'];
type Source = Pick<AgentRow, 'userId' | 'threadId' | 'runId'> & { id: string | null };

/** An event of an agent, to be stored. */
export const eventOf = <Type extends StoredEvent['type']>(
  ctx: Pick<AgentNeeds, 'clock'>,
  { userId, threadId, runId, id }: Source,
  [type, payload]: [Type, Payload<Type>],
): Write => ({
  type: 'event',
  userId,
  threadId,
  // The payload belongs to its type, which a union cannot express.
  event: { type, runId, agentId: id, ts: ctx.clock.now(), payload } as StoredEvent,
});

/** An event of a run, without an agent. */
export const runEventOf = <Type extends StoredEvent['type']>(
  ctx: Pick<AgentNeeds, 'clock'>,
  { userId, threadId, id }: Pick<RunRow, 'userId' | 'threadId' | 'id'>,
  event: [Type, Payload<Type>],
): Write => eventOf(ctx, { userId, threadId, runId: id, id: null }, event);
