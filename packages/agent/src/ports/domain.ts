import type { CheckLine } from '@drawbridge/contracts/agent/settings';
import type { JsonSchema } from './model.ts';

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
  /** The names of all its tools: no other tool may be named like one of them. */
  toolNames: readonly string[];
  /** Those that the user's own key may use; none without a key. */
  tools(userId: string): Promise<DomainTool[]>;
  test(userId: string): Promise<CheckLine[]>;
}
