import { z } from 'zod';

/** How an MCP client reaches the server. */
export interface Address {
  /** Of `/mcp`. */
  url: string;
  token: string;
}

/** What a tool answered, as a model is shown it. */
export interface Outcome {
  text: string;
  isError: boolean;
}

/** An MCP client that has connected. */
export interface ConnectedClient {
  tools(): Promise<string[]>;
  /** Calls a tool; rejects when `signal` aborts, which takes the call back. */
  call(name: string, given: Record<string, unknown>, signal?: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

export type Connect = (address: Address) => Promise<ConnectedClient>;

const answer = z.object({
  content: z.array(z.looseObject({ text: z.string().optional() })),
  isError: z.boolean().default(false),
});

/** Reads a result of `tools/call`. */
export const outcomeOf = (result: unknown): Outcome => {
  const { content, isError } = answer.parse(result);
  return { text: content.map(({ text = '' }) => text).join('\n'), isError };
};

export const bearer = ({ token }: Address) => ({ authorization: `Bearer ${token}` });

export const clientInfo = { name: 'drawbridge-e2e', version: '0.1.0' };
