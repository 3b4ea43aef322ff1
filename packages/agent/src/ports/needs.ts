import type { QueueSettings } from '@drawbridge/contracts/agent/lanes';
import type { Clock } from '@drawbridge/kit';
import type { ThreadKey } from '../rows/keys.ts';
import type { AgentStore } from '../rows/store.ts';
import type { AgentBus, NewId } from './bus.ts';
import type { AgentConfig } from './config.ts';
import type { DomainAdapter } from './domain.ts';
import type { MachinePort } from './machine.ts';
import type { ModelPort } from './model.ts';
import type { McpPort, SearchPort, WebPort } from './outside.ts';
import type { AgentServers } from './servers.ts';
import type { Tracer } from './tracing.ts';
import type { WorkspacePort } from './workspace.ts';

/** A message that has interrupted the run of another one. */
export interface Preemption extends ThreadKey {
  runId: string;
  /** The request whose run ends, and the one whose run follows. */
  interrupted: string;
  by: string;
}

/** What answers a run, for the host's audit log: no text, path or command is in it. */
export type BackendLine =
  | {
      audit: 'backend.route';
      userId: string;
      threadId: string;
      runId: string;
      runtime: string;
      source: 'thread' | 'config' | 'sub-agent';
      machineId: string | null;
    }
  /** `code`: why the first one did not answer. */
  | { audit: 'backend.fallback'; userId: string; runId: string; from: string; to: string; code: string }
  | {
      audit: 'backend.success';
      userId: string;
      runId: string;
      runtime: string;
      ms: number;
      /** Null where a coding agent does not say. */
      tokens: number | null;
      /** Of a coding agent, and how many of them were asked about; null for the built-in agent. */
      actions: number | null;
      asked: number | null;
    }
  | {
      audit: 'backend.end';
      userId: string;
      runId: string;
      runtime: string;
      ms: number;
      /** Of a run that did not complete; `code` where it failed. */
      outcome: string;
      code: string | null;
    }
  /** A coding agent was stopped: it left its mode, or did what it was not allowed. `requestId`: its turn. */
  | { audit: 'backend.mismatch'; userId: string; runId: string; runtime: string; requestId: string | null };

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
  /** Undefined for the only server of its store. */
  servers?: AgentServers | undefined;
  /** For the host's records. */
  onPreempted?(preemption: Preemption): void;
  onBackend?(line: BackendLine): void;
  onError(error: unknown): void;
}
