import type { AskAnswer, ResourceQuestion } from '@drawbridge/contracts/agent/asks';
import type { AnswerPlace } from '@drawbridge/contracts/confirmation';
import type { CallState } from '@drawbridge/contracts/calls';
import type { ToolScope } from '@drawbridge/contracts/groups';
import type { FormAnswer, TurnProgress } from '@drawbridge/contracts/machines/runtimes';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import type { JsonSchema } from './model.ts';

export interface MachineTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  group: ToolScope | null;
  /** A tool of our own daemon by its name, not of an MCP server on the machine or of another program. */
  isOwn: boolean;
  /** Changes nothing: several may run side by side. */
  isReading: boolean;
}

export interface MachineView {
  id: string;
  name: string;
  directory: string | null;
  isConnected: boolean;
  tools: MachineTool[];
}

export interface MachineCall {
  requestId: string;
  threadId: string;
  /** The card names who asks: the thread's title and the agent's role. */
  name: string;
  machineId: string | null;
  /** A tool of another group is unknown; null for all groups. */
  groups: readonly ToolScope[] | null;
  tool: string;
  arguments: Record<string, unknown>;
}

/** `waiting`: the person is asked; `ended` with the result, or a sentence that says why it has no result. */
export type MachineOutcome =
  | { kind: 'waiting'; question: ResourceQuestion; title: string; expiresAt: number | null }
  | {
      kind: 'ended';
      state: CallState;
      result: ToolResult | null;
      error: { code: string; message: string } | null;
      /** Why the person denied it. */
      denialReason: string | null;
    };

/** A machine with coding agents that may be used: their ids, such as `gemini`. */
export interface RuntimeMachine {
  id: string;
  name: string;
  isConnected: boolean;
  isPaused: boolean;
  runtimes: readonly string[];
  /** What a task may have; an older machine refuses what it does not know. */
  inputs: readonly string[];
}

/** What a coding agent does in a turn; see `Calls.onTurn` of the gateway. */
export interface TurnReport {
  userId: string;
  requestId: string;
  turn?: TurnProgress | undefined;
  /** Actions whose form has no answer yet. */
  forms: readonly number[];
}

export interface TurnReply {
  /** How many events of the turn are stored; undefined for a turn of no thread. */
  turnEvents?: number | undefined;
  answers: FormAnswer[];
}

export interface MachinePort {
  /**
   * The machine of the thread, or the user's default machine; null for a user without one. With `groups` it
   * has only the tools of these groups.
   */
  view(
    userId: string,
    machineId: string | null,
    groups?: readonly ToolScope[] | null,
  ): Promise<MachineView | null>;
  /**
   * Makes the call with that id, or follows the call that has it already. Resolves when it has ended or
   * waits for the person; an aborted signal ends the wait and not the call.
   */
  call(userId: string, call: MachineCall, signal: AbortSignal): Promise<MachineOutcome>;
  /** Whether a call waits for the person, is open, has ended, or was never made. */
  stateOf(userId: string, requestId: string): Promise<'waiting' | 'open' | 'ended' | 'unknown'>;
  /** The person's answer to the confirmation of a call. Throws as the gateway does. */
  decide(
    userId: string,
    requestId: string,
    given: {
      answer: Extract<AskAnswer, { kind: 'resourceDecision' | 'approval' }>;
      via: AnswerPlace | null;
    },
  ): Promise<void>;
  /**
   * Stops an open call; one that has ended or is unknown stays as it is. False if it ran or may have run, or
   * has ended otherwise.
   */
  cancel(userId: string, requestId: string): Promise<boolean>;
  /** A call of a thread that no `call` waits for has changed: ended, asked, or answered. */
  onChanged(listener: (userId: string, requestId: string) => void): () => void;
  /** The machines of a user that offer coding agents, the default machine first. */
  runtimes(userId: string): Promise<RuntimeMachine[]>;
  /** A call that the machine itself has opened, as it is now; null for an unknown one. */
  look(userId: string, requestId: string): Promise<MachineOutcome | { kind: 'open' } | null>;
  /** `listener` stores what is new, and gives what the person answered to these forms. */
  onTurn(listener: (report: TurnReport) => Promise<TurnReply>): void;
}
