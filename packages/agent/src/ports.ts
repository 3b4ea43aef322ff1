import type { AskAnswer } from '@drawbridge/contracts/agent/asks';
import type { LiveThreadEvent, Usage } from '@drawbridge/contracts/agent/events';
import type { AgentAction, AgentPolicy, CheckLine } from '@drawbridge/contracts/agent/settings';
import type { CallState } from '@drawbridge/contracts/calls';
import type { ToolGroup } from '@drawbridge/contracts/groups';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import type { Effect } from './rows.ts';

export type JsonSchema = Record<string, unknown>;

/** A tool as the model is told of it. `inputSchema` is JSON Schema draft 7. */
export interface ToolSpec {
  name: string;
  description: string;
  inputSchema: JsonSchema;
}

export type PromptPart = { type: 'text'; text: string } | { type: 'image'; data: string; mediaType: string };

/** A message for the model. `data` is base64, `arguments` JSON as text. */
export type PromptMessage =
  | { role: 'user'; parts: PromptPart[] }
  | {
      role: 'assistant';
      parts: (
        | { type: 'text'; text: string }
        | { type: 'reasoning'; text: string; provider: string; metadata: unknown }
        | { type: 'tool-call'; toolCallId: string; tool: string; arguments: string }
      )[];
    }
  | { role: 'tool'; results: { toolCallId: string; tool: string; parts: PromptPart[]; isError: boolean }[] };

export interface ModelRequest {
  /** `helper`: titles, notes and summaries, where a cheaper model is chosen. */
  use: 'main' | 'helper';
  /** Static first: a provider may cache it. */
  system: string[];
  messages: PromptMessage[];
  tools: ToolSpec[];
  maxOutputTokens?: number;
  /** Where its span belongs; without it, the call is not traced. */
  trace?: TraceParent;
}

export type ModelPart =
  | { type: 'text'; text: string }
  /** `metadata` replaces what came before for this block. */
  | { type: 'reasoning'; id: string; text: string; metadata?: unknown }
  /** The model has begun to write the arguments of a call; `index` counts the calls of the step. */
  | { type: 'tool-start'; index: number; tool: string }
  | { type: 'tool-call'; index: number; tool: string; arguments: string }
  | { type: 'finish'; reason: 'stop' | 'length' | 'tool-calls' | 'filter' | 'other'; usage: Usage | null };

export type ModelErrorKind =
  | 'key'
  | 'model'
  | 'rate'
  | 'overloaded'
  | 'context'
  | 'request'
  | 'network'
  | 'silent'
  | 'cut'
  | 'too-large'
  | 'too-many-calls'
  | 'aborted';

/** What a model call failed with; `message` is one sentence without keys or prompts. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly retryAfterMs: number | undefined;
  constructor(kind: ModelErrorKind, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'ModelError';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface ModelInfo {
  /** As chosen, such as `anthropic/claude-…`. */
  id: string;
  /** The provider's name: reasoning is sent back to the one that wrote it. */
  provider: string;
  contextTokens: number;
  maxOutputTokens: number;
  /** Per million tokens, in the owner's currency; null where the owner set none. */
  prices: { input: number; cached: number; output: number } | null;
}

export interface ModelPort {
  /** Null while no model is chosen. */
  info(use: 'main' | 'helper'): Promise<ModelInfo | null>;
  /** One model call, never tried again. Throws `ModelError`. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
  /** The model refused a prompt as too long: it is asked with less from now on. */
  lowerContext(modelId: string, tokens: number): void;
}

export interface MachineTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  group: ToolGroup | null;
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
  groups: readonly ToolGroup[] | null;
  tool: string;
  arguments: Record<string, unknown>;
}

/** `waiting`: the person is asked; `ended` with the result, or a sentence that says why it has no result. */
export type MachineOutcome =
  | { kind: 'waiting'; confirmationId: string; title: string; expiresAt: number | null }
  | {
      kind: 'ended';
      state: CallState;
      result: ToolResult | null;
      error: { code: string; message: string } | null;
      /** Why the person denied it. */
      denialReason: string | null;
    };

export interface MachinePort {
  /**
   * The machine of the thread, or the user's default machine; null for a user without one. With `groups` it
   * has only the tools of these groups.
   */
  view(
    userId: string,
    machineId: string | null,
    groups?: readonly ToolGroup[] | null,
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
    answer: Extract<AskAnswer, { kind: 'resourceDecision' | 'approval' }>,
  ): Promise<void>;
  /**
   * Stops an open call; one that has ended or is unknown stays as it is. False if it ran or may have run, or
   * has ended otherwise.
   */
  cancel(userId: string, requestId: string): Promise<boolean>;
  /** A call of a thread that no `call` waits for has changed: ended, asked, or answered. */
  onChanged(listener: (userId: string, requestId: string) => void): () => void;
}

export interface FetchedPage {
  /** After redirects. */
  url: string;
  title: string;
  markdown: string;
}

export interface WebPort {
  /**
   * Fetches a public page as markdown. `mayFollow` is asked for each redirect to another host: `false` ends
   * the fetch with `redirect`. Throws `WebError`.
   */
  fetch(
    url: string,
    options: { mayFollow(url: URL): boolean; signal: AbortSignal },
  ): Promise<{ kind: 'page'; page: FetchedPage } | { kind: 'redirect'; url: string }>;
}

/** What failed outside of this server, in a sentence for the model that may hold words of the other side. */
export class OutsideError extends Error {}

/** Why a page cannot be read, in one sentence for the model and the person. */
export class WebError extends OutsideError {}

export interface SearchHit {
  title: string;
  url: string;
  snippet: string;
}

export interface SearchPort {
  /** Whether a search service is configured. */
  isOn(): Promise<boolean>;
  search(
    userId: string,
    query: string,
    options: { count: number; signal: AbortSignal },
  ): Promise<SearchHit[]>;
}

/** A tool of an MCP server that the owner configured, with a schema that providers accept. */
export interface McpTool {
  /** `mcp__server__tool`. */
  name: string;
  server: string;
  tool: string;
  description: string;
  inputSchema: JsonSchema;
}

export interface McpPort {
  /** The tools of all servers that answer; what was left out is reported once in the log. */
  tools(): Promise<McpTool[]>;
  /** Throws `OutsideError`. */
  call(tool: McpTool, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
}

export interface WorkspaceTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  /** Changes nothing. */
  isReading: boolean;
}

/** A folder for each thread, with file tools and a shell that reach nothing else. */
export interface WorkspacePort {
  tools(): readonly WorkspaceTool[];
  /** One call at a time in a thread. Rejects with the reason of the signal once nothing of the call runs. */
  call(
    thread: { userId: string; threadId: string },
    call: { callId: string; tool: string; arguments: Record<string, unknown> },
    signal: AbortSignal,
  ): Promise<ToolResult>;
  /** Removes the folder; a thread without one is no error. */
  remove(userId: string, threadId: string): Promise<void>;
}

/** What a tool of a domain gives: `data` shows as a table, `link` leads on. */
export interface DomainResult {
  text: string;
  data?: unknown;
  link?: string;
}

export interface DomainTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  effect: 'read' | 'write' | 'destructive';
  /** What would happen, for the person who is asked. Throws `OutsideError` for arguments that do not fit. */
  describe(args: Record<string, unknown>): string;
  /** Throws `OutsideError`. */
  run(
    args: Record<string, unknown>,
    options: { userId: string; callId: string; signal: AbortSignal },
  ): Promise<DomainResult>;
}

/** A product that the agent works on, such as n8n. */
export interface DomainAdapter {
  id: string;
  title: string;
  /** How its tools are used, for the prompt of an agent that has them. */
  instructions: string;
  /** Those that the user's own key may use; none without a key. */
  tools(userId: string): Promise<DomainTool[]>;
  test(userId: string): Promise<CheckLine[]>;
}

/** The owner's settings, read for each step. */
export interface AgentConfig {
  /** Why the agent may not work; null when it may. */
  off: 'module' | 'model' | null;
  policy: Record<AgentAction, AgentPolicy>;
  areToolsDeferred: boolean;
  areSecretsMasked: boolean;
  observerTokens: number;
  reflectorTokens: number;
  askTtlMs: number;
  maxRuns: number;
  maxRunsPerUser: number;
  tokensPerDay: number | null;
  /** In millionths of the owner's currency. */
  costMicroPerDay: number | null;
}

/** The place of a span in the trace of its run. Ids are ours: of an agent, a call, or a piece of work. */
export interface TraceParent {
  runId: string;
  /** Null for the main agent of a run. */
  parentId: string | null;
  attributes: Record<string, string | number | string[]>;
}

/** A piece of work that has ended. */
export interface TraceSpan extends TraceParent {
  operation: 'invoke_agent' | 'chat' | 'execute_tool' | 'memory';
  /** What it worked with: a kind of agent, a model, a tool. */
  subject: string;
  id: string;
  startedAt: number;
  endedAt: number;
  /** Texts of the conversation, read only where they are traced. */
  content?(): Record<string, string>;
  /** A word for why it failed. */
  error?: string;
}

/** Neither throws nor blocks. */
export interface Tracer {
  /** The id of a run's trace, in 32 hexadecimal digits; null while nothing is traced. */
  traceId(runId: string): string | null;
  record(span: TraceSpan): void;
}

export interface AgentBus {
  /** Something of the thread is stored. */
  changed(userId: string, threadId: string): void;
  /** An event that is not stored. */
  live(userId: string, threadId: string, event: LiveThreadEvent): void;
}

/** Makes ids: `run_…`, `ag_…`, `tc_…`, `ask_…`, `msg_…`. */
export type NewId = (prefix: string) => string;

export type { Effect };
