import type { ToolResult } from '@drawbridge/contracts/tool-result';
import type { JsonSchema } from './model.ts';

export interface FetchedPage {
  /** After redirects. */
  url: string;
  title: string;
  markdown: string;
}

export interface WebPort {
  /** Why `fetch` would refuse the address before it looks up its name, in a sentence; null: it would not. */
  refusal(url: string): string | null;
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
