import type { InputMethod } from '@drawbridge/contracts/client-input';
import type { JSONRPCResponse } from '@modelcontextprotocol/server';
import { nanoid } from 'nanoid';
import type { ClientCapability } from '../tools/call.ts';

/** The client that an id of JSON-RPC belongs to: one token and session. */
export interface ClientKey {
  callerId: string;
  session: string | null;
}

/** A request to a client of revision 2025-11-25 while its own request is answered. */
export interface ClientRequest {
  method: InputMethod;
  params?: Record<string, unknown>;
}

export type ClientAnswer = { result: Record<string, unknown> } | { error: { message: string } };

/** How the request is sent, and when to stop waiting for the answer. */
export interface AskOptions {
  send(message: object): void;
  signal: AbortSignal;
}

/** A session of revision 2025-11-25: what its client can be asked for, and how. */
export interface ClientSession {
  capabilities: readonly ClientCapability[];
  ask(request: ClientRequest, options: AskOptions): Promise<ClientAnswer | null>;
}

/** Requests to clients on the streams of their own calls; the answers come in as messages of their own. */
export const createClientRequests = () => {
  const waiting = new Map<string, (answer: ClientAnswer) => void>();
  const keyOf = ({ callerId, session }: ClientKey, id: unknown) => JSON.stringify([callerId, session, id]);

  return {
    /** Resolves with the client's answer; null once `signal` has aborted. */
    ask: (
      client: ClientKey,
      request: ClientRequest,
      { send, signal }: AskOptions,
    ): Promise<ClientAnswer | null> =>
      new Promise((resolve) => {
        const id = nanoid();
        const key = keyOf(client, id);
        const end = (answer: ClientAnswer | null) => {
          waiting.delete(key);
          signal.removeEventListener('abort', abort);
          resolve(answer);
        };
        const abort = () => end(null);
        if (signal.aborted) return resolve(null);
        signal.addEventListener('abort', abort);
        waiting.set(key, end);
        send({ jsonrpc: '2.0', id, ...request });
      }),
    /** Resolves the request that the message answers; without one it is dropped. */
    resolve: (client: ClientKey, { id, ...answer }: JSONRPCResponse) =>
      waiting.get(keyOf(client, id))?.(answer),
  };
};

export type ClientRequests = ReturnType<typeof createClientRequests>;
