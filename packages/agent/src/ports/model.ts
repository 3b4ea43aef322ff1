import type { Usage } from '@drawbridge/contracts/agent/events';
import type { TraceParent } from './tracing.ts';

export type JsonSchema = Record<string, unknown>;

/** A tool as the model sees it. `inputSchema` is JSON Schema draft 7. */
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
