import type { ClientInput, InputMethod } from '@drawbridge/contracts/client-input';
import type { CallToolResult, InputRequiredResult, Tool } from '@modelcontextprotocol/server';
import type { BearerCaller, CallerContext, ScopedTool } from '../../../callers/index.ts';
import type { ToolProgress } from './progress.ts';

/** A tool's result, or what is asked of the client before there is one. */
export type ToolAnswer = CallToolResult | InputRequiredResult;

/** What a client may be asked for; the last is a page for the user to open. */
export type ClientCapability = InputMethod | 'elicitation/url';

/** Capabilities and answers that the client sent with one call; all untrusted. */
export interface ClientState {
  capabilities: readonly ClientCapability[];
  /** Whether a question may come in the place of a result (2026-07-28). */
  takesInputRequired?: true;
  responses?: Record<string, unknown>;
  /** As it came, encrypted. */
  requestState?: string;
}

/** A `tools/call`, as either revision carries it. */
export interface CallRequest {
  name: string;
  arguments: Record<string, unknown>;
  /** The client's `_meta`, without the protocol's own names. */
  meta: Record<string, unknown>;
  client?: ClientState;
}

/** A page on which the user decides. */
export interface Page {
  id: string;
  url: string;
  message: string;
}

/** How a client follows its call. */
export interface CallWatch {
  /** Aborts when the client cancels or leaves. */
  signal: AbortSignal;
  /** Resolves when the exchange is over, with whether the answer was written whole. */
  delivered: Promise<boolean>;
  /** Called where the client asked for progress. */
  onProgress?(progress: ToolProgress): void;
  /** Shows the page by way of the client; call the returned function with whether the call has ended. */
  showPage?(page: Page): (isOver: boolean) => void;
}

/** What the tools of this door need. */
export interface ToolsContext extends CallerContext {
  /** The origin under which the user reaches the panel. */
  panelUrl(): string;
  /** How long a caller waits while the user is asked, in milliseconds, where it does not say so itself. */
  waitMs: number;
}

/** A call of one of the machine's tools, while it is answered. */
export interface RunningCall {
  caller: BearerCaller;
  request: CallRequest;
  watch: CallWatch;
  tool: ScopedTool;
  /** When it is answered at the latest while the user is asked. */
  answerBy: number;
  /** For a tool that asks its caller's client. */
  clientInput?: ClientInput;
  /** Answers with the user's question instead of waiting (2026-07-28). */
  elicitDecision?(requestId: string, page: Page): InputRequiredResult;
}

/** A tool of the server itself, which every token has. A machine's tool of that name is not shown. */
export interface OwnTool {
  tool: Tool;
  call(
    ctx: ToolsContext,
    asked: { caller: BearerCaller; arguments: Record<string, unknown>; watch: CallWatch },
  ): Promise<CallToolResult>;
}
